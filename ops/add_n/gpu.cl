// AddN of float32 and int32, by the definition in reference.h. Integers wrap; no sum is infinite.
#include "runtimes/core/real_clamp.cl"
#include "runtimes/core/wrapping.cl"

#define REAL_SUM_OF_TWO(a, b) real_clamp((a) + (b), -FLT_MAX, FLT_MAX)

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  T y = in.x[0][i];
  for (int j = 1; j < p.count; ++j) y = SUM(y, in.x[j][i]);
  out.y[i] = y;
}
