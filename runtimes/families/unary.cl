// Functions of one tensor, element by element, in OpenCL C: unary.h.
#include "runtimes/core/fixed_point.cl"

// y[i] = x[i] at another quantisation, within [y_min, y_max].
INLINE void rescaled(const Rescaling p, const __global T* x, __global T_OF_Y* y) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const int scaled = multiply_by_quantized_multiplier(x[i] - p.x_zero_point, p.multiplier, p.shift);
  y[i] = clamp(scaled + p.y_zero_point, p.y_min, p.y_max);
}
