// Functions of int16 by samples of the logistic function.
#include "runtimes/core/sigmoid.cl"

#ifdef by_samples
// y[i] = F at the position of x[i].
INLINE void by_samples(const Positions p, const __global uint16_t* samples,
                       const __global int16_t* x, __global int16_t* y) {
  const int i = get_global_id(0);
  if (i < p.elements) y[i] = F(sample_position(x[i], p.multiplier, p.shift), samples);
}
#endif
