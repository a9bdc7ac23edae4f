// Functions of the elements along axes: reduction.h in OpenCL C, an element of y for each
// work-item.
#include "runtimes/core/division.cl"
#include "runtimes/core/fixed_point.cl"
#include "runtimes/core/steps.cl"
#include "runtimes/core/wrapping.cl"

// The first element of x that goes into element i of y.
#define FIRST_REDUCED(p, i)                                       \
  ((i) / (p.kept[3] * p.kept[2] * p.kept[1]) * p.kept_stride[0] + \
   (i) / (p.kept[3] * p.kept[2]) % p.kept[1] * p.kept_stride[1] + \
   (i) / p.kept[3] % p.kept[2] * p.kept_stride[2] + (i) % p.kept[3] * p.kept_stride[3])
#define KEPT_ELEMENTS(p) (p.kept[0] * p.kept[1] * p.kept[2] * p.kept[3])
#define REDUCED_ELEMENTS(p) (p.reduced[0] * p.reduced[1] * p.reduced[2] * p.reduced[3])
// How far element k of those that go into one of y is from the first.
#define REDUCED_AT(p, k)                                                      \
  ((k) / (p.reduced[3] * p.reduced[2] * p.reduced[1]) * p.reduced_stride[0] + \
   (k) / (p.reduced[3] * p.reduced[2]) % p.reduced[1] * p.reduced_stride[1] + \
   (k) / p.reduced[3] % p.reduced[2] * p.reduced_stride[2] +                  \
   (k) % p.reduced[3] * p.reduced_stride[3])
#define GREATER_FOUND(found, x) ((x) > (found) ? (x) : (found))
#define LESSER_FOUND(found, x) ((x) < (found) ? (x) : (found))
#define EITHER(found, x) ((found) || (x))
#define BOTH(found, x) ((found) && (x))

#ifdef fold
// What F finds, element after element; it begins with START, or with the first element.
INLINE void fold(const Fold p, const __global T* x, __global T* y) {
  const int i = get_global_id(0);
  if (i >= KEPT_ELEMENTS(p)) return;
  const __global T* first = x + FIRST_REDUCED(p, i);
  T found = START;
  for (int k = 0; k < REDUCED_ELEMENTS(p); ++k) {
    const T element = first[REDUCED_AT(p, k)];
    found = p.from_first && k == 0 ? element : F(found, element);
  }
  y[i] = found;
}
#endif

#ifdef shared_fold
#define SAME(p, found) (found)
#define QUOTIENT(p, sum) ((T)((sum) / REDUCED_ELEMENTS(p)))
#define SCALED(p, sum)                                                                          \
  (T) clamp(multiply_by_quantized_multiplier((sum) - p.zero_point_sum, p.multiplier, p.shift) + \
                p.Y_ZERO_POINT,                                                                 \
            LEAST, MOST)
// Rounded to the nearest, halves to even.
#define IN_SINGLE(p, sum) \
  (T) clamp(rint((float)(sum)*p.factor + p.addend), (float)(LEAST), (float)(MOST))
#define STEPPED(p, sum) (T)(LEAST + steps_reached((sum)-p.zero_point_sum, steps, MOST - LEAST))
// RESULT of what F finds in any order, beginning with START: work-items along the second dimension
// share an element of y, a power of two of them.
INLINE void shared_fold(const PARAMS p, const __global T* x, __global T* y,
                        __local FOUND* shared STEPS) {
  const int i = get_global_id(0);
  const int across = get_local_size(0);
  const int part = get_local_id(1);
  const int me = part * across + get_local_id(0);
  const bool inside = i < KEPT_ELEMENTS(p);
  FOUND found = START;
  if (inside) {
    const __global T* first = x + FIRST_REDUCED(p, i);
    for (int k = part; k < REDUCED_ELEMENTS(p); k += get_local_size(1)) {
      found = F(found, (FOUND)first[REDUCED_AT(p, k)]);
    }
  }
  shared[me] = found;
  for (int count = get_local_size(1) / 2; count > 0; count /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part < count) shared[me] = F(shared[me], shared[me + count * across]);
  }
  if (inside && part == 0) y[i] = RESULT(p, shared[me]);
}
#endif

#ifdef real_means
// The means of floats, which are added up in their order.
INLINE void real_means(const Axes p, const __global float* x, __global float* y) {
  const int i = get_global_id(0);
  if (i >= KEPT_ELEMENTS(p)) return;
  const __global float* first = x + FIRST_REDUCED(p, i);
  float sum = 0;
  for (int k = 0; k < REDUCED_ELEMENTS(p); ++k) sum += first[REDUCED_AT(p, k)];
  y[i] = divided(sum, (float)REDUCED_ELEMENTS(p));
}
#endif

#ifdef quantised_products
// Products of quantised elements, scaled after every element but the first, and at the end. They
// wrap.
INLINE void quantised_products(const ProductAxes p, const __global T* x, __global T* y) {
  const int i = get_global_id(0);
  if (i >= KEPT_ELEMENTS(p)) return;
  const __global T* first = x + FIRST_REDUCED(p, i);
  const long half_unit = 1L << (p.shift - 1);
  int product = first[0] - p.x_zero_point;
  for (int k = 1; k < REDUCED_ELEMENTS(p); ++k) {
    const long next = (long)product * (first[REDUCED_AT(p, k)] - p.x_zero_point);
    product = (int)((next * p.multiplier + half_unit) >> p.shift);
  }
  const int scaled = (int)(((long)product * p.multiplier + half_unit) >> p.shift);
  y[i] = (T)clamp(wrapping_sum(scaled, (int)p.y_zero_point), LEAST, MOST);
}
#endif
