// FullyConnected with computed weights, by the definition in reference.h: an element of y for each
// work-item. REAL elements are float32, NARROW ones int16, and others bytes.
#include "runtimes/core/real_clamp.cl"
#include "runtimes/core/rescaling.cl"

#if defined(REAL)
#define PRODUCT(x, weight) ((x) * (weight))
#define ELEMENT(biased, c) real_clamp(biased, p.real_min, p.real_max)
#elif defined(NARROW)
#define PRODUCT(x, weight) ((x) * (weight))
#define ELEMENT(biased, c) \
  clamp(by_halfword(biased, p.multiplier, p.shift), p.activation_min, p.activation_max)
#else
#define PRODUCT(x, weight) (((x) - p.input_zero_point) * ((weight) - p.weights_zero_point))
#define ELEMENT(biased, c)                                                                 \
  clamp(by_double((int)(biased), tables.scale[c]) + p.output_zero_point, p.activation_min, \
        p.activation_max)
#endif

#if defined(REAL) || defined(NARROW)
void gpu(const Params p, const In in, const Out out) {
#else
void gpu(const Params p, const In in, const Out out, const ScaleBits tables) {
#endif
  const int i = get_global_id(0);
  if (i >= p.rows * p.channels) return;
  const int c = i % p.channels;
  const __global T* x = in.x + i / p.channels * p.depth;
  const __global T* weights = in.weights + c * p.depth;
  SUM sum = 0;
  for (int k = 0; k < p.depth; ++k) sum += PRODUCT(x[k], weights[k]);
  out.y[i] = ELEMENT(sum + (in.bias == 0 ? (SUM)0 : ((const __global B*)in.bias)[c]), c);
}

#undef PRODUCT
#undef ELEMENT
