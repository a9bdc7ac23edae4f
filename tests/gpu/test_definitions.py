"""Names of an author's file that two inclusions would define twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from opsmith.runtimes.gpu.definitions import defined_macros, defined_names, lasting_macros
from opsmith.runtimes.gpu.inclusion import text_and_includes
from opsmith.testing.checkout import ROOT

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


@pytest.mark.slow
def test_no_two_shared_files_define_a_name_and_no_kernel_a_macro_of_theirs() -> None:
    """One model may have any kernels: what they include is then in one file with all of them."""
    found = [file for top in ("ops", "runtimes") for file in (ROOT / top).rglob("*.cl")]
    texts = {file.resolve(): text_and_includes(file) for file in found}
    shared = {file for _, needed in texts.values() for file in needed}
    owners: dict[str, Path] = {}
    for file in sorted(shared):
        for name in (*defined_names(texts[file][0]), *lasting_macros(texts[file][0])):
            assert owners.setdefault(name, file) == file, name
    assert len(owners) > 100
    for file in texts.keys() - shared:
        assert not owners.keys() & set(defined_macros(texts[file][0])), file


@pytest.mark.slow
def test_no_kernel_needs_double_precision() -> None:
    """GPUs need not have it, and nothing else would notice on devices that do."""
    for top in ("ops", "runtimes"):
        for file in (ROOT / top).rglob("*.cl"):
            code = re.sub(r"//[^\n]*", "", file.read_text("utf-8"))
            assert not re.search(r"\bdouble\d*\b|\bcl_khr_fp64\b", code), file
            assert not re.search(r"(?<![\w.])\d+\.\d*(e[-+]?\d+)?(?![\w.])", code), file
