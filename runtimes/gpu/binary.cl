// Functions of two tensors that broadcast, element by element: binary.h, relation.h and selection.h
// in OpenCL C. F is the function. A program includes this file for each kernel that it uses, under
// another name.
#include "runtimes/core/broadcast.cl"
#include "runtimes/core/division.cl"
#include "runtimes/core/fixed_point.cl"
#include "runtimes/core/real_clamp.cl"
#include "runtimes/core/wrapping.cl"

#define GREATER_OF(a, b) ((a) > (b) ? (a) : (b))
#define POSITIVE_OR_PRODUCT(a, b) ((a) >= 0 ? (a) : (a) * (b))
#define LESSER_OF(a, b) ((a) < (b) ? (a) : (b))
#define EQUAL(a, b) ((a) == (b))
#define NOT_EQUAL(a, b) ((a) != (b))
#define LESS(a, b) ((a) < (b))
#define LESS_EQUAL(a, b) ((a) <= (b))
#define GREATER(a, b) ((a) > (b))
#define GREATER_EQUAL(a, b) ((a) >= (b))
#define LOGICAL_AND(a, b) ((a) && (b))
#define LOGICAL_OR(a, b) ((a) || (b))

#ifdef quantised
// Both at a common scale, then F of them at the scale of y. Where scales are powers of two, one
// operand is shifted, and the other has that of y.
INLINE void quantised(const PAIRS p, const __global T* a, const __global T* b, __global T* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int of_a = a[BROADCAST(p, a_stride, i)];
  const int of_b = b[BROADCAST(p, b_stride, i)];
#ifdef MAY_SHIFT
  if (p.shifts) {
    const int shifted = F(rounding_divide_by_pot(of_a, -p.a_shift),
                          rounding_divide_by_pot(of_b, -p.b_shift));
    y[i] = (T)clamp(shifted, p.activation_min, p.activation_max);
    return;
  }
#endif
  const int scaled_a = multiply_by_quantized_multiplier(
      (int)((uint)(of_a - p.a_zero_point) << HEADROOM), p.a_multiplier, p.a_shift);
  const int scaled_b = multiply_by_quantized_multiplier(
      (int)((uint)(of_b - p.b_zero_point) << HEADROOM), p.b_multiplier, p.b_shift);
  const int found =
      multiply_by_quantized_multiplier(F(scaled_a, scaled_b), p.y_multiplier, p.y_shift);
  y[i] = (T)clamp(found + p.y_zero_point, p.activation_min, p.activation_max);
}
#endif

#ifdef affine
// Sums as affine_pairs of runtimes/core/affine.h has them, of elements less CENTRE.
#define AFFINE_PRODUCT(x, multiplier) \
  (((x) - CENTRE) * ((multiplier) >> 8) + ((((x) - CENTRE) * ((multiplier)&255)) >> 8))
INLINE void affine(const AffinePairs p, const __global T* a, const __global T* b, __global T* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int of_a = AFFINE_PRODUCT(a[BROADCAST(p, a_stride, i)], p.a_multiplier);
  const int of_b = AFFINE_PRODUCT(b[BROADCAST(p, b_stride, i)], p.b_multiplier);
  y[i] = (T)clamp((p.offset + of_a + of_b) >> p.shift, p.activation_min, p.activation_max);
}
#endif

#ifdef products
// Products at the scale of y.
INLINE void products(const ProductPairs p, const __global T* a, const __global T* b,
                     __global T* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int product = (a[BROADCAST(p, a_stride, i)] - p.a_zero_point) *
                      (b[BROADCAST(p, b_stride, i)] - p.b_zero_point);
  const int found = multiply_by_quantized_multiplier(product, p.multiplier, p.shift);
  y[i] = (T)clamp(found + p.y_zero_point, p.activation_min, p.activation_max);
}
#endif

#ifdef real
// F of the values of int8, quantised once, halves to even; beyond 512 steps every element is an end.
INLINE void real(const RealPairs p, const __global T* a, const __global T* b, __global T* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const float value_a = p.a_scale * (float)(a[BROADCAST(p, a_stride, i)] - p.a_zero_point);
  const float value_b = p.b_scale * (float)(b[BROADCAST(p, b_stride, i)] - p.b_zero_point);
  const float steps = divided(F(value_a, value_b), p.y_scale);
  const float within = steps > -512.0f ? min(steps, 512.0f) : -512.0f;  // also of NaN
  const int found = (int)rint(within) + p.y_zero_point;
  y[i] = (T)clamp(found, p.activation_min, p.activation_max);
}
#endif

#ifdef integers
// F of int32 or int64, which wraps, within bounds; those that are the limits of int32 are none.
INLINE void integers(const IntegerPairs p, const __global T* a, const __global T* b,
                     __global T* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const T found = F(a[BROADCAST(p, a_stride, i)], b[BROADCAST(p, b_stride, i)]);
  const T low = p.activation_min > INT_MIN && found < p.activation_min ? p.activation_min : found;
  y[i] = p.activation_max < INT_MAX && low > p.activation_max ? p.activation_max : low;
}
#endif

#ifdef floats
// F of floats, within bounds.
INLINE void floats(const FloatPairs p, const __global float* a, const __global float* b,
                   __global float* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const float found = F(a[BROADCAST(p, a_stride, i)], b[BROADCAST(p, b_stride, i)]);
  y[i] = real_clamp(found, p.real_min, p.real_max);
}
#endif

#ifdef plain
// F of elements as they are.
INLINE void plain(const Pairs p, const __global T* a, const __global T* b, __global Y* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  y[i] = F(a[BROADCAST(p, a_stride, i)], b[BROADCAST(p, b_stride, i)]);
}
#endif

#ifdef values
// Whether F holds for the values of elements, in fixed point. Those of small scales may all be 0.
INLINE void values(const RescaledPairs p, const __global T* a, const __global T* b,
                   __global uint8_t* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  const int left = multiply_by_quantized_multiplier(
      (int)((uint)(a[BROADCAST(p, a_stride, i)] - p.a_zero_point) << 8), p.a_multiplier, p.a_shift);
  const int right = multiply_by_quantized_multiplier(
      (int)((uint)(b[BROADCAST(p, b_stride, i)] - p.b_zero_point) << 8), p.b_multiplier, p.b_shift);
  y[i] = F(left, right);
}
#endif

#ifdef chosen
// y = condition ? a : b of all elements, which are as wide as T.
INLINE void chosen(const Selection p, const __global uint8_t* condition, const __global void* a,
                   const __global void* b, __global void* y) {
  const int i = get_global_id(0);
  if (i >= BROADCAST_ELEMENTS(p)) return;
  ((__global T*)y)[i] = condition[BROADCAST(p, condition_stride, i)]
                            ? ((const __global T*)a)[BROADCAST(p, a_stride, i)]
                            : ((const __global T*)b)[BROADCAST(p, b_stride, i)];
}
#endif
