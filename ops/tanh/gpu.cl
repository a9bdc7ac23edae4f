// Tanh of float32, by the definition in reference.h.
#include "runtimes/core/real_exponential_minus_one.cl"

void gpu(const Elements p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i < p.elements) out.y[i] = real_hyperbolic_tangent(in.x[i]);
}
