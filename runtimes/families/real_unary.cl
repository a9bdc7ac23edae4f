// Functions F of float32, an element of y for each work-item.
#include "runtimes/core/real_functions.cl"

INLINE void of_each(const Elements p, const __global float* x, __global float* y) {
  const int i = get_global_id(0);
  if (i < p.elements) y[i] = F(x[i]);
}
