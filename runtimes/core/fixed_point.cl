// Fixed-point arithmetic with the rounding of TFLite's reference kernels: fixed_point.h in OpenCL C.

// x / 2^exponent, rounded to nearest, ties away from zero; exponent in [0, 31].
INLINE int rounding_divide_by_pot(int x, int exponent) {
  const int half_unit = (int)(1u << exponent >> 1);
  const int lowered = x + (exponent == 0 ? 0 : x >> 31);
  return (lowered >> exponent) + ((lowered & half_unit) != 0 ? 1 : 0);
}

// round(a * b / 2^31), ties up. The one overflow, both -2^31, saturates.
INLINE int doubling_high_mul(int a, int b) {
  const uint product = (uint)(((long)a * b + (1 << 30)) >> 31);
  return (int)(product - (a == INT_MIN && b == INT_MIN ? 1u : 0u));
}

// x * multiplier * 2^(shift - 31), rounded twice; shift in [-31, 31].
INLINE int multiply_by_quantized_multiplier(int x, int multiplier, int shift) {
  const int left = max(shift, 0);
  const int right = max(-shift, 0);
  return rounding_divide_by_pot(doubling_high_mul((int)((uint)x << left), multiplier), right);
}
