// BatchMatMul by the definition in reference.h: an element of y for each work-item. Elements of
// int8 are LIFTED by their zero points, with a factor IN_SINGLE precision or another, or summed as
// they are; those of int16 have NARROW multipliers.
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/rescaling.cl"

#if defined(LIFTED)
#define PRODUCT(a, b) (((a) - p.a_zero_point) * ((b) - p.b_zero_point))
#define ELEMENT(sum) \
  clamp(multiply_by_quantized_multiplier(sum, p.multiplier, p.shift) + p.y_zero_point, -128, 127)
#elif defined(IN_SINGLE)
#define PRODUCT(a, b) (((a)-p.a_zero_point) * ((b)-p.b_zero_point))
#define ELEMENT(sum) clamp(by_single(sum, as_uint(p.factor)) + p.y_zero_point, -128, 127)
#elif defined(NARROW)
#define PRODUCT(a, b) ((a) * (b))
#define ELEMENT(sum) \
  clamp(by_halfword(sum, p.multiplier, p.shift), p.activation_min, p.activation_max)
#else
#define PRODUCT(a, b) ((a) * (b))
#define ELEMENT(sum) (sum)
#endif

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const __global A* row = in.a + BROADCAST(p, a_stride, i);
  const __global B* column = in.b + BROADCAST(p, b_stride, i);
  SUM sum = 0;
  for (int k = 0; k < p.depth; ++k) sum += PRODUCT(row[k * p.a_step], column[k * p.b_step]);
  out.y[i] = ELEMENT(sum);
}

#undef PRODUCT
#undef ELEMENT
