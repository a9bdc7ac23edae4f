// Functions of float32 as LiteRT has them in layers on x86: vector_functions.h in OpenCL C.
#include "runtimes/core/division.cl"
#include "runtimes/core/real_clamp.cl"

// By Horner's rule; the coefficient of the highest power comes first.
INLINE float polynomial(float x, const float* coefficients, int size) {
  float sum = coefficients[0];
  for (int i = 1; i < size; ++i) sum = sum * x + coefficients[i];
  return sum;
}

INLINE float vector_hyperbolic_tangent(float value) {
  const float limit = 7.90738964f;  // from which on the quotient is 1
  const float above[] = {1.394553628e-8f, 2.102733560e-5f, 3.520756727e-3f, 1.340216100e-1f};
  const float below[] = {8.015776984e-7f, 3.326951409e-4f, 2.597254514e-2f, 4.673548340e-1f, 1.0f};
  const float x = real_clamp(value, -limit, limit);
  const float square = x * x;
  return divided(square * x * polynomial(square, above, 4) + x, polynomial(square, below, 5));
}
