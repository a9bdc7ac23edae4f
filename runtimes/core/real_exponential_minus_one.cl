// exp(x) - 1 and tanh(x) of float32: real_exponential_minus_one.h in OpenCL C.
#include "runtimes/core/division.cl"

// exp(x) - 1 for x up to 20, where k = x / log(2), rounded, is less than 57.
INLINE float real_exponential_minus_one(float x) {
  if (!(x >= -18.0f)) return isnan(x) ? x + x : -1.0f;
  int k = 0;
  float rest = x, lost = 0.0f;  // x = k * log(2) + rest - lost
  if (fabs(x) > 0x1.62e430p-2f) {
    k = (int)(0x1.715476p+0f * x + copysign(0.5f, x));
    const float powers = (float)k;
    const float high = x - powers * 0x1.62e300p-1f;
    const float low = powers * 0x1.2fefa2p-17f;
    rest = high - low;
    lost = (high - rest) - low;
  }
  const float half_rest = 0.5f * rest;
  const float square = rest * half_rest;
  float ratio = -0x1.afdb76p-23f;
  ratio = ratio * square + 0x1.0cfca8p-18f;
  ratio = ratio * square + -0x1.4ce19ap-14f;
  ratio = ratio * square + 0x1.a01a02p-10f;
  ratio = ratio * square + -0x1.111112p-5f;
  ratio = ratio * square + 1.0f;
  const float three = 3.0f - ratio * half_rest;
  const float cubic = square * divided(ratio - three, 6.0f - rest * three);
  const float minus = ((rest * (cubic - lost)) - lost) - square;  // exp(rest) = 1 + rest - minus
  if (k == 0) return rest - minus;
  if (k == -1) return 0.5f * (rest - minus) - 0.5f;
  if (k == 1 && rest < -0.25f) return -2.0f * (minus - (rest + 0.5f));
  if (k == 1) return 1.0f + 2.0f * (rest - minus);
  const float power = as_float((uint)(k + 127) << 23);
  if (k < 0) return (1.0f - (minus - rest)) * power - 1.0f;
  const float one = as_float((uint)(127 - k) << 23);  // 1, over the power
  if (k < 23) return ((1.0f - one) - (minus - rest)) * power;
  return ((rest - (minus + one)) + 1.0f) * power;
}

// From 10 on, 1 is the nearest float.
INLINE float real_hyperbolic_tangent(float x) {
  const float size = fabs(x);
  if (!(size < 10.0f)) return isnan(x) ? x + x : copysign(1.0f, x);
  const bool large = size >= 1.0f;
  const float of_twice = real_exponential_minus_one(large ? 2.0f * size : -2.0f * size);
  const float found =
      large ? 1.0f - divided(2.0f, of_twice + 2.0f) : divided(-of_twice, of_twice + 2.0f);
  return copysign(found, x);
}
