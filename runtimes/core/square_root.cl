// The square root of float32: square_root.h in OpenCL C, whose own need not be the nearest float.

// The nearest float; of negative numbers NaN with a sign, as x86 has it.
INLINE float square_root(float x) {
  if (!(x > 0.0f) || isinf(x)) return x < 0.0f ? as_float(0xffc00000u) : x;
  const bool subnormal = x < 0x1p-126f;
  const uint bits = as_uint(subnormal ? x * 0x1p24f : x);
  const int exponent = (int)(bits >> 23) - 127 - (subnormal ? 24 : 0);
  const uint odd = (uint)exponent & 1;
  uint rest = ((bits & 0x007fffffu) | 0x00800000u) << (1 + odd);
  uint root = 0;
  uint twice = 0;
  for (uint bit = 1u << 24; bit != 0; bit >>= 1, rest <<= 1) {
    if (twice + bit <= rest) {
      rest -= twice + bit;
      twice += 2 * bit;
      root += bit;
    }
  }
  const uint biased = (uint)((exponent - (int)odd) / 2 + 126);
  return as_float((biased << 23) + ((root + 1) >> 1));
}
