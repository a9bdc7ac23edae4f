// The logistic function and tanh of int16 in fixed point, with the bits of gemmlowp's:
// fixed_activation.h in OpenCL C.
#include "runtimes/core/fixed_point.cl"

// round(a * b / 2^15), ties up, of two halfwords that are not both -2^15.
INLINE int halfword_mul(int a, int b) { return (a * b + (1 << 14)) >> 15; }

INLINE int halfword_shift_left(int x, int n) { return clamp(x * (1 << n), SHRT_MIN, SHRT_MAX); }

// exp(rest) for a rest in [-1/4, 0) in Q0.15: Taylor's series around -1/8, four terms.
INLINE int halfword_exponential_of_rest(int rest) {
  const int x = rest + (1 << 12);
  const int x2 = halfword_mul(x, x);
  const int x3 = halfword_mul(x2, x);
  const int x4 = halfword_mul(x2, x2);
  const int cubic = halfword_mul(rounding_divide_by_pot(x4, 2) + x3, 10923);  // 1/3
  const int tail = rounding_divide_by_pot(cubic + x2, 1);
  const int exp_of_minus_eighth = 28918;
  const int sum = exp_of_minus_eighth + halfword_mul(exp_of_minus_eighth, x + tail);
  return min(sum, SHRT_MAX);
}

// exp(x) for x <= 0 that has 1 to 7 integer bits: a multiple of 1/4 and a rest in [-1/4, 0). Each
// bit of the multiple is a factor.
INLINE int halfword_exponential(int x, int integer_bits) {
  const int factors[7] = {25520, 19875, 12055, 4435, 600, 11, 0};  // exp(-1/4), exp(-1/2), …
  if (x == 0) return SHRT_MAX;
  const int fractional_bits = 15 - integer_bits;
  if (integer_bits > 5 && x < -(32 << fractional_bits)) return 0;
  const int quarter_bits = fractional_bits - 2;
  const int quarter = 1 << quarter_bits;
  const int rest = (x & (quarter - 1)) - quarter;
  const int multiple = (rest - x) >> quarter_bits;
  int y = halfword_exponential_of_rest(rest * (1 << integer_bits));
#pragma unroll
  for (int i = 0; i < 7; ++i) {  // with fewer integer bits there is no such multiple
    if ((multiple >> i & 1) != 0) y = halfword_mul(y, factors[i]);
  }
  return y;
}

// 2 / (1 + x) in Q2.13 for x in [0, 1]: three steps of Newton's method.
INLINE int halfword_reciprocal(int x) {
  const int half_sum = (x + SHRT_MAX + 1) / 2;
  int y = 23130 + halfword_mul(half_sum, -15420);  // 48/17 - 32/17 half_sum
  for (int i = 0; i < 3; ++i) {
    const int error = (1 << 13) - halfword_mul(half_sum, y);
    y += halfword_shift_left(halfword_mul(y, error), 2);
  }
  return y;
}

// 1 / (1 + exp(-x)) of x in Q3.12.
INLINE int fixed_logistic(int x) {
  if (x == 0) return 1 << 14;
  const int power = halfword_exponential(x < 0 ? x : -x, 3);
  const int y = halfword_shift_left(halfword_reciprocal(power), 1);
  return x < 0 ? SHRT_MAX - y : y;
}

// tanh(x) of x with 0 to 6 integer bits.
INLINE int fixed_tanh(int x, int integer_bits) {
  if (x == 0) return 0;
  const int power = halfword_exponential(x < 0 ? x : -x, integer_bits + 1);  // of -2 |x|
  const int y = halfword_shift_left(halfword_reciprocal(power) - (1 << 13), 2);
  return x < 0 ? -y : y;
}
