// Functions of the elements along axes: reduction.h in OpenCL C, an element of y for each work-item.
#include "runtimes/core/wrapping.cl"

// The first element of x that goes into element i of y.
#define FIRST_REDUCED(p, i)                                                            \
  ((i) / (p.kept[3] * p.kept[2] * p.kept[1]) * p.kept_stride[0] +                      \
   (i) / (p.kept[3] * p.kept[2]) % p.kept[1] * p.kept_stride[1] +                      \
   (i) / p.kept[3] % p.kept[2] * p.kept_stride[2] + (i) % p.kept[3] * p.kept_stride[3])
#define KEPT_ELEMENTS(p) (p.kept[0] * p.kept[1] * p.kept[2] * p.kept[3])
#define REDUCED_ELEMENTS(p) (p.reduced[0] * p.reduced[1] * p.reduced[2] * p.reduced[3])
// How far element k of those that go into one of y is from the first.
#define REDUCED_AT(p, k)                                                                     \
  ((k) / (p.reduced[3] * p.reduced[2] * p.reduced[1]) * p.reduced_stride[0] +                \
   (k) / (p.reduced[3] * p.reduced[2]) % p.reduced[1] * p.reduced_stride[1] +                \
   (k) / p.reduced[3] % p.reduced[2] * p.reduced_stride[2] +                                 \
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
