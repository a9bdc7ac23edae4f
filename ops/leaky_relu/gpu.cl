// LeakyReLU of int16, by the definition in reference.h.
#include "runtimes/core/fixed_point.cl"

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const int x = in.x[i];
  const int y =
      x < 0 ? multiply_by_quantized_multiplier(x, p.negative_multiplier, p.negative_shift) * p.sign
            : multiply_by_quantized_multiplier(x, p.multiplier, p.shift);
  out.y[i] = clamp(y, SHRT_MIN, SHRT_MAX);
}
