// Quantize of float32, by the definition in reference.h.
#include "runtimes/core/quantization.cl"

void gpu(const QuantizeParams p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  out.y[i] = nearest_element(in.x[i], p.y_scale, p.y_zero_point, p.y_min, p.y_max);
}
