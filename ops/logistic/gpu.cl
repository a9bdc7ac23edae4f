// Logistic of float32, by the definition in reference.h.
#include "runtimes/core/division.cl"
#include "runtimes/core/real_exponential.cl"

void gpu(const Elements p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const float x = in.x[i];
  const float power = real_exponential(x < -9.0f ? x : -x);
  out.y[i] = x > 16.619047164916992f ? 1.0f : x < -9.0f ? power : divided(1.0f, 1.0f + power);
}
