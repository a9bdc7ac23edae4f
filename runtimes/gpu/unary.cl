// Functions of one tensor, element by element: unary.h and lookup.h in OpenCL C. A program includes
// this file for each function that it uses, under another name.
#include "runtimes/core/fixed_point.cl"
#include "runtimes/core/real_clamp.cl"

#define ABSOLUTE(p, x) ((T)abs(x))
#define NEGATED(p, x) ((T)(0 - (ulong)(x)))
#define CONVERTED(p, x) ((Y)(x))
#define LEAKY(p, x) ((x) > 0 ? (x) : (x) * p.alpha)
#define NOT_ZERO(p, x) ((x) != 0)
#define REAL_VALUE(p, x) (p.x_scale * (float)((x) - p.x_zero_point))
// Towards zero, saturated; BEYOND is the first float that is too great.
#define REAL_SATURATED(p, x) (!((x) < BEYOND) ? MOST : (x) < (float)LEAST ? LEAST : (Y)(x))
#define ZERO(p, x) 0

#ifdef each
// y[i] = F(x[i])
INLINE void each(const PARAMS p, const __global T* x, __global Y* y) {
  const int i = get_global_id(0);
  if (i < p.elements) y[i] = F(p, x[i]);
}
#endif

#ifdef formula
// y[i] = FORMULA of x = x[i]
INLINE void formula(const Elements p, const __global T* of_x, __global T* y) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const T x = of_x[i];
  y[i] = FORMULA;
}
#endif

#ifdef rescaled
// y[i] = x[i] at another quantisation, within [y_min, y_max].
INLINE void rescaled(const Rescaling p, const __global T* x, __global Y* y) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const int lifted = (int)x[i] - p.x_zero_point;
  const int scaled = multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift);
  y[i] = (Y)clamp(scaled + p.y_zero_point, p.y_min, p.y_max);
}
#endif

#ifdef affine
// y[i] = x[i] at another quantisation, as affine_elements of runtimes/core/affine.h has it.
INLINE void affine(const AffineElements p, const __global T* x, __global Y* y) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  y[i] = (Y)clamp((x[i] * p.multiplier + p.offset) >> p.shift, p.y_min, p.y_max);
}
#endif

#ifdef positive
// y[i] = x[i], or 0 where that is negative; NaN and the sign of zero stay.
INLINE void positive(const Elements p, const __global float* x, __global float* y) {
  const int i = get_global_id(0);
  if (i < p.elements) y[i] = x[i] < 0.0f ? 0.0f : x[i];
}
#endif

#ifdef within
// y[i] = x[i] within [real_min, real_max]; NaN and the sign of zero stay.
INLINE void within(const Bounds p, const __global float* x, __global float* y) {
  const int i = get_global_id(0);
  if (i < p.elements) y[i] = real_clamp(x[i], p.real_min, p.real_max);
}
#endif

#ifdef bytes
// y[i] = table[x[i]]. The table starts with the element 0; negative ones come last.
INLINE void bytes(const Elements p, const __global T* table, const __global T* x, __global T* y) {
  const int i = get_global_id(0);
  if (i < p.elements) y[i] = table[(uint8_t)x[i]];
}
#endif

#ifdef halfwords
// Between every 128th element, of which the table has the values, a straight line. Differences of
// two values wrap at 16 bits.
INLINE void halfwords(const Elements p, const __global int16_t* table, const __global int16_t* x,
                      __global int16_t* y) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const __global int16_t* value = table + 256 + (x[i] >> 7);
  const int16_t slope = (int16_t)(value[1] - value[0]);
  y[i] = (int16_t)(value[0] + ((slope * (x[i] & 127) + 64) >> 7));
}
#endif
