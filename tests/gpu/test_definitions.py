"""Names of an author's file that two inclusions would define twice."""

from __future__ import annotations

from runtimes.gpu.definitions import defined_macros, defined_names

FILE = """\
#define LIMIT(x) limited(x)
typedef struct { int low, high; } Bounds;
struct Pair {
  int one;
};
__constant int ONE[1] = {1};
enum Side { LEFT, RIGHT = 3 };
/* a comment (with a call) { */
static int limited(int x, Bounds b) {
  return x < b.low ? b.low : x;
}
NOINLINE __attribute__((overloadable)) int again(const T x,
                                                 Bounds b) {
  if (x) return limited(x, b);
}
#ifdef chosen
void chosen(const Params p) {}
#endif
void gpu(const Params p, const In in) { // again
}
"""


def test_what_a_file_defines_at_its_scope() -> None:
    names = {"limited", "again", "gpu", "ONE", "Bounds", "Pair", "Side", "LEFT", "RIGHT"}
    assert {*defined_names(FILE)} == names
    assert defined_macros(FILE) == ["LIMIT"]
