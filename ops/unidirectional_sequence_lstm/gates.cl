// What kernels of LSTM share.

// Gates, as their constants are stacked.
enum Gate { INPUT, FORGET, CELL, OUTPUT };

INLINE int halfword(int x) { return clamp(x, SHRT_MIN, SHRT_MAX); }

// The products of a row of weights.
INLINE __attribute__((overloadable)) int gate_products(const __global int8_t* a,
                                                       const __global int8_t* b, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

INLINE __attribute__((overloadable)) long gate_products(const __global int16_t* a,
                                                        const __global int8_t* b, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}
