// PReLU of integers, by the definition in reference.h.
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/fixed_point.cl"

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int a = in.a[BROADCAST(p, a_stride, i)] - p.a_zero_point;
  const int b = in.b[BROADCAST(p, b_stride, i)] - p.b_zero_point;
  const int y = a < 0
                    ? multiply_by_quantized_multiplier(a * b, p.product_multiplier, p.product_shift)
                    : multiply_by_quantized_multiplier(a, p.multiplier, p.shift);
  out.y[i] = (T)clamp(y + p.y_zero_point, LEAST, MOST);
}
