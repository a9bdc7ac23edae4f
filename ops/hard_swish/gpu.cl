// HardSwish of float32, by the definition in reference.h.
#include "runtimes/core/division.cl"
#include "runtimes/core/real_clamp.cl"

void gpu(const Elements p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const float x = in.x[i];
  out.y[i] = divided(x * real_clamp(x + 3.0f, 0.0f, 6.0f), 6.0f);
}
