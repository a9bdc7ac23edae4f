// L2Normalization of float32, by the definition in reference.h: a group of work-items for each row.
// One of them adds up the squares, whose order matters.
#include "runtimes/core/division.cl"
#include "runtimes/core/square_root.cl"

void gpu_floats(const Rows p, const In in, const Out out, const Local local_memory) {
  const __global float* x = in.x + get_group_id(0) * p.depth;
  __global float* y = out.y + get_group_id(0) * p.depth;
  if (get_local_id(0) == 0) {
    float sum = 0;
    for (int i = 0; i < p.depth; ++i) sum += x[i] * x[i];
    const float root = square_root(sum);
    local_memory.shared[0] = root < 1e-6f ? 1e-6f : root;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float norm = local_memory.shared[0];
  for (int i = get_local_id(0); i < p.depth; i += get_local_size(0)) y[i] = divided(x[i], norm);
}
