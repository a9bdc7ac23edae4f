// Functions of int16 by samples of the logistic function, an element of y for each work-item. F is
// one of a position between samples.
#include "runtimes/core/sigmoid.cl"

INLINE void by_samples(const Positions p, const __global uint16_t* samples,
                       const __global int16_t* x, __global int16_t* y) {
  const int i = get_global_id(0);
  if (i >= p.elements) return;
  const int half_unit = p.shift > 0 ? 1 << (p.shift - 1) : 0;
  y[i] = (int16_t)F((x[i] * p.multiplier + half_unit) >> p.shift, samples);
}
