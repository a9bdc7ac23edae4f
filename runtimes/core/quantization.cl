// Quantised elements: quantization.h in OpenCL C.
#include "runtimes/core/division.cl"

// The element nearest to a value, ties away from zero, saturated to [low, high]; low for NaN.
INLINE int nearest_element(float value, float scale, int zero_point, int low, int high) {
  const float scaled = divided(value, scale);
  if (!(scaled > (float)low - (float)zero_point)) return low;
  if (scaled >= (float)high - (float)zero_point) return high;
  // The float below 0.5: a sum with 0.5 would round up where the rest is the float below a half.
  const float half_unit = 0.49999997f;
  return (int)(scaled + (scaled < 0.0f ? -half_unit : half_unit)) + zero_point;
}
