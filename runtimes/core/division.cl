// Division of floats, correctly rounded on all devices.
#include "runtimes/core/binary64.cl"

// a / b, where the device does not promise it, in double precision: a quotient of floats never lies
// so near the middle of two floats that it would be rounded twice.
INLINE float divided(float a, float b) {
#ifdef OPSMITH_EXACT_DIVISION
  return a / b;
#else
  if (a == 0 || b == 0 || !isfinite(a) || !isfinite(b)) return a / b;
  return to_float64(quotient64(from_float64(a), from_float64(b)));
#endif
}
