// Abs of int16, by the definition in reference.h.
#include "runtimes/core/fixed_point.cl"

void gpu(const Rescaling p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const int x = in.x[i];
  const int scaled =
      multiply_by_quantized_multiplier(abs(x) - p.x_zero_point, p.multiplier, p.shift);
  out.y[i] = clamp(scaled + p.y_zero_point, p.y_min, p.y_max);
}
