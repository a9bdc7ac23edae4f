// Cumsum, by the definition in reference.h: all sums along an axis each.
#include "runtimes/core/wrapping.cl"
#include "runtimes/gpu/byte_sums.cl"

#define SAME(p, x) (x)
#define WITHOUT_ZERO_POINT(p, x) ((x) - p.x_zero_point)

void gpu(const PARAMS p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.outer * p.inner) return;
  const int first = i / p.inner * p.depth * p.inner + i % p.inner;
  SUM before = FIRST;
  for (int n = 0; n < p.depth; ++n) {
    const int at = first + (p.backward ? p.depth - 1 - n : n) * p.inner;
    const SUM with = wrapping_sum(before, (SUM)TERM(p, in.x[at]));
    out.y[at] = (T)RESULT(p, p.exclusive ? before : with);
    before = with;
  }
}
