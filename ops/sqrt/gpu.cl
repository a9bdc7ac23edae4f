// Sqrt of int16, by the definition in reference.h.
#include "runtimes/core/division.cl"
#include "runtimes/core/square_root.cl"

void gpu(const ScaledElements p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const int x = in.x[i];
  const float units = x > 0 ? divided(square_root(p.x_scale * (float)x), p.y_scale) : 0.0f;
  out.y[i] = units < 32767.0f ? (int16_t)units : SHRT_MAX;
}
