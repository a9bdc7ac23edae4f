// Integers near floats, as floats: what real_rounding.h has beyond floor() and ceil().

// The nearest, ties to even; what lies between -1/2 and -0 becomes +0.
INLINE float rounded_to_even(float x) {
  const float below = floor(x);
  const float rest = x - below;
  const bool even = 2.0f * trunc(0.5f * below) == below;
  return rest < 0.5f || (rest == 0.5f && even) ? below : below + 1.0f;
}
