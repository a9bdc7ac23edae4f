// Rounding of floats: rounding.h in OpenCL C.

// The integer nearest to x, ties away from zero; |x| is below 2^31.
INLINE int round_half_away(float x) {
  const int whole = (int)x;
  const float rest = x - (float)whole;
  return whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
}
