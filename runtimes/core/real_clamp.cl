// Fused activations of floats: real_clamp.h in OpenCL C.

// Within these bounds; NaN and the sign of zero stay as they are.
INLINE float real_clamp(float x, float low, float high) {
  if (low == -high && fabs(x) <= high) return x;
  return x < low ? low : x > high ? high : x;
}
