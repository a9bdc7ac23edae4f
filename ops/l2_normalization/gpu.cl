// L2Normalization of bytes, by the definition in reference.h: a group of work-items for each row.
#include "runtimes/core/groups.cl"
#include "runtimes/core/inverse_root.cl"

void gpu(const LiftedRows p, const In in, const Out out, const Local local_memory) {
  const int lane = get_local_id(0);
  const int lanes = get_local_size(0);
  const __global T* x = in.x + get_group_id(0) * p.depth;
  __global T* y = out.y + get_group_id(0) * p.depth;
  int sum = 0;
  for (int i = lane; i < p.depth; i += lanes) {
    sum += (x[i] - p.x_zero_point) * (x[i] - p.x_zero_point);
  }
  const int2 root = inverse_root(sum_of_group(sum, local_memory.shared));
  for (int i = lane; i < p.depth; i += lanes) {
    // in 128ths, which LiteRT makes after the product for int8, and before it for uint8
    const int lifted = (x[i] - p.x_zero_point) << BITS_BEFORE;
    const int units = multiply_by_quantized_multiplier(lifted, root.x, root.y + 7 - BITS_BEFORE);
    y[i] = (T)clamp(units + LEAST + 128, LEAST, MOST);
  }
}
