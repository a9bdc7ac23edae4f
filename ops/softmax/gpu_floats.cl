// Softmax of float32, by the definition in reference.h: a group of work-items for each row. One of
// them adds up the exponentials, whose order matters.
#include "runtimes/core/division.cl"
#include "runtimes/core/groups.cl"
#include "runtimes/core/real_exponential.cl"

void gpu_floats(const RealRows p, const In in, const Out out, const Local local_memory) {
  const int lane = get_local_id(0);
  const int lanes = get_local_size(0);
  const __global float* x = in.x + get_group_id(0) * p.depth;
  __global float* y = out.y + get_group_id(0) * p.depth;
  float largest = -FLT_MAX;
  for (int i = lane; i < p.depth; i += lanes) largest = largest < x[i] ? x[i] : largest;
  largest = largest_float_of_group(largest, local_memory.shared);
  for (int i = lane; i < p.depth; i += lanes) y[i] = real_exponential((x[i] - largest) * p.beta);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (lane == 0) {
    float sum = 0;
    for (int i = 0; i < p.depth; ++i) sum += y[i];
    local_memory.shared[0] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const float sum = local_memory.shared[0];
  for (int i = lane; i < p.depth; i += lanes) y[i] = divided(y[i], sum);
}
