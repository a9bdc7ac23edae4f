// Activations of floats that bound them: real_bounds.h in OpenCL C.

// x within the bounds that P has.
#define WITHIN_BOUNDS(p, x) within_bounds(p.has_low, p.low, p.has_high, p.high, x)

INLINE float within_bounds(bool has_low, float low, bool has_high, float high, float x) {
  if (has_low && !(x > low)) x = low;
  return has_high && x > high ? high : x;
}
