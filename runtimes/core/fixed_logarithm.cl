// log(x) in fixed point: fixed_logarithm.h in OpenCL C.
#include "runtimes/core/fixed_point.cl"
#include "runtimes/core/reciprocal.cl"

// log(x) in Q5.26 for x >= 1 in Q12.19.
INLINE int fixed_logarithm(int x) {
  const int sqrt_half = 1518500250, sqrt_sqrt_half = 1805811301, log_2 = 1488522236;
  const int quarter = 1 << 23;  // Q6.25, as the power of two
  const int zeros = clz(x);
  const int normal = doubling_high_mul(saturating_shift_left(x, zeros - 1), sqrt_half);
  const int product = doubling_high_mul(x, sqrt_half);
  const int other_zeros = clz(product) - 1;
  const int power = max((int)((uint)(12 - zeros) << 25) + quarter,
                        (int)((uint)(12 - other_zeros) << 25) - quarter);
  const int r = min(saturating_shift_left(normal, 1), saturating_shift_left(x, other_zeros));
  const int p = (int)(((long)r + sqrt_sqrt_half + 1) / 2);
  const int q = 2 * (r - sqrt_sqrt_half);
  const int square = doubling_high_mul(q, q);
  const int numerator =
      doubling_high_mul(q, r) + doubling_high_mul(doubling_high_mul(q, square), 117049297);
  const int factor = 1057819769 + q + doubling_high_mul(127690142, square);
  const int denominator = doubling_high_mul(p, factor) + doubling_high_mul(638450708, q);
  const int quotient =
      doubling_high_mul(rounding_divide_by_pot(numerator, 6), reciprocal_of_one_plus(denominator));
  return saturating_shift_left(doubling_high_mul(power, log_2) + quotient, 1);
}
