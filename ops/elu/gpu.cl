// ELU of float32, by the definition in reference.h.
#include "runtimes/core/real_exponential_minus_one.cl"

void gpu(const Elements p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const float x = in.x[i];
  out.y[i] = x < 0.0f ? real_exponential_minus_one(x) : x;
}
