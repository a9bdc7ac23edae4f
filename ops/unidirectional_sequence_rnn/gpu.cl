// RNN of float32, by the definition in reference.h: a group of work-items for each batch, which
// share the units of a step.
#include "runtimes/core/lane_dot.cl"
#include "runtimes/core/real_bounds.cl"
#include "runtimes/core/vector_functions.cl"

void gpu(const Params p, const In in, const Out out, const Tables tables) {
  const int b = get_group_id(0);
  __global float* h = in.state + b * p.units;
  for (int t = 0; t < p.steps; ++t) {
    const int row = p.time_major ? t * p.batches + b : b * p.steps + t;
    const __global float* x = in.x + row * p.depth;
    __global float* y = out.y + row * p.units;
    for (int i = get_local_id(0); i < p.units; i += get_local_size(0)) {
      const float of_x = lane_dot(tables.bias[i], x, tables.weights + i * p.depth, p.depth);
      const float sum = lane_dot(of_x, h, tables.recurrent + i * p.units, p.units);
      y[i] = p.tanh ? vector_hyperbolic_tangent(sum) : WITHIN_BOUNDS(p, sum);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);  // all have read the previous output
    for (int i = get_local_id(0); i < p.units; i += get_local_size(0)) h[i] = y[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
