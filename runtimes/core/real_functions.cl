// Functions of float32, with the bits of the ops' definitions.
#include "runtimes/core/division.cl"
#include "runtimes/core/real_exponential.cl"
#include "runtimes/core/real_logarithm.cl"
#include "runtimes/core/square_root.cl"

INLINE float real_logistic(float x) {
  if (x > 16.619047164916992f) return 1.0f;
  if (x < -9.0f) return real_exponential(x);
  return divided(1.0f, 1.0f + real_exponential(-x));
}

INLINE float inverse_square_root(float x) { return divided(1.0f, square_root(x)); }
