// AddN of int8, by the definition in reference.h.
#include "runtimes/gpu/byte_sums.cl"

void gpu_bytes(const ByteParams p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  int sum = -p.x_zero_point;
  for (int j = 0; j < p.count; ++j) sum += in.x[j][i] - p.x_zero_point;
  out.y[i] = RESCALED_BYTES(p, sum);
}
