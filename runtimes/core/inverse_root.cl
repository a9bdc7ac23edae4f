// 1 / sqrt(x) in fixed point: inverse_root.h in OpenCL C.
#include "runtimes/core/fixed_point.cl"
#include "runtimes/core/reciprocal.cl"

// A multiplier, and a shift: x * 2^(y - 31). x >= 0; 0 is taken as 1. Five steps of Newton's method
// from 1, in Q3.28.
INLINE int2 inverse_root(int x) {
  if (x <= 1) return (int2)(INT_MAX, 0);
  int right = 11;
  for (; x >= 1 << 29; ++right) x /= 4;
  const int pairs = (clz(x) - 1) / 2 - 1;
  right -= pairs;
  const int half_x = rounding_divide_by_pot((int)((uint)x << 2 * pairs) >> 1, 1);
  int y = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int cube = saturating_shift_left(doubling_high_mul(doubling_high_mul(y, y), y), 6);
    y = doubling_high_mul(3 << 27, y) - doubling_high_mul(half_x, cube);
    y = saturating_shift_left(y, 3);
  }
  y = doubling_high_mul(y, 1518500250);  // sqrt(1/2)
  return right < 0 ? (int2)((int)((uint)y << -right), 0) : (int2)(y, -right);
}
