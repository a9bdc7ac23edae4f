// 1 / (1 + x) in fixed point: reciprocal.h in OpenCL C.
#include "runtimes/core/fixed_point.cl"

// x * 2^n, saturated; n in [0, 31).
INLINE int saturating_shift_left(int x, int n) {
  if (x > INT_MAX >> n) return INT_MAX;
  if (x < INT_MIN >> n) return INT_MIN;
  return (int)((uint)x << n);
}

// 1 / (1 + x) in Q0.31 for x in [0, 1) in Q0.31.
INLINE int reciprocal_of_one_plus(int x) {
  const int half_sum = (int)(((long)x + INT_MAX + 1) / 2);
  int y = 1515870810 + doubling_high_mul(half_sum, -1010580540);
  for (int i = 0; i < 3; ++i) {
    const int error = (1 << 29) - doubling_high_mul(half_sum, y);
    y += saturating_shift_left(doubling_high_mul(y, error), 2);
  }
  return saturating_shift_left(y, 1);
}
