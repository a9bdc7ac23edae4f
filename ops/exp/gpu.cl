// Exp of float32, by the definition in reference.h.
#include "runtimes/core/real_exponential.cl"

void gpu(const Elements p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i < p.elements) out.y[i] = real_exponential(in.x[i]);
}
