// The logistic function and tanh of int16 in fixed point, with the bits of gemmlowp's
// (fixedpoint/fixedpoint.h), which LiteRT's LSTM calls: Q3.12 or another format in, Q0.15 out.
// fixed_activation.py is the same in numpy. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith {

// round(a * b / 2^15), ties up, of two halfwords that are not both -2^15.
constexpr int32_t halfword_mul(int32_t a, int32_t b) { return (a * b + (1 << 14)) >> 15; }

constexpr int32_t halfword_shift_left(int32_t x, int32_t n) {
  return clamp(x * (1 << n), INT16_MIN, INT16_MAX);
}

// exp(rest) for a rest in [-1/4, 0) in Q0.15: Taylor's series around -1/8, four terms.
constexpr int32_t halfword_exponential_of_rest(int32_t rest) {
  const int32_t x = rest + (1 << 12);
  const int32_t x2 = halfword_mul(x, x);
  const int32_t x3 = halfword_mul(x2, x);
  const int32_t x4 = halfword_mul(x2, x2);
  const int32_t cubic = halfword_mul(rounding_divide_by_pot(x4, 2) + x3, 10923);  // 1/3
  const int32_t tail = rounding_divide_by_pot(cubic + x2, 1);
  constexpr int32_t exp_of_minus_eighth = 28918;
  const int32_t sum = exp_of_minus_eighth + halfword_mul(exp_of_minus_eighth, x + tail);
  return min(sum, INT16_MAX);
}

// exp(x) for x <= 0 that has 1 to 7 integer bits: a multiple of 1/4 and a rest in [-1/4, 0). Each
// bit of the multiple is a factor.
constexpr int32_t halfword_exponential(int32_t x, int32_t integer_bits) {
  constexpr int32_t factors[] = {25520, 19875, 12055, 4435, 600, 11, 0};  // exp(-1/4), exp(-1/2), …
  if (x == 0) return INT16_MAX;
  const int32_t fractional_bits = 15 - integer_bits;
  if (integer_bits > 5 && x < -(32 << fractional_bits)) return 0;
  const int32_t quarter_bits = fractional_bits - 2;
  const int32_t quarter = 1 << quarter_bits;
  const int32_t rest = (x & (quarter - 1)) - quarter;
  const int32_t multiple = (rest - x) >> quarter_bits;
  int32_t y = halfword_exponential_of_rest(rest * (1 << integer_bits));
#pragma GCC unroll 7
  for (int32_t i = 0; i < 7; ++i) {  // with fewer integer bits there is no such multiple
    if ((multiple >> i & 1) != 0) y = halfword_mul(y, factors[i]);
  }
  return y;
}

// 2 / (1 + x) in Q2.13 for x in [0, 1]: three steps of Newton's method.
constexpr int32_t halfword_reciprocal(int32_t x) {
  const int32_t half = (x + INT16_MAX + 1) / 2;
  int32_t y = 23130 + halfword_mul(half, -15420);  // 48/17 - 32/17 half
#pragma GCC unroll 3
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t error = (1 << 13) - halfword_mul(half, y);
    y += halfword_shift_left(halfword_mul(y, error), 2);
  }
  return y;
}

// 1 / (1 + exp(-x)) of x in Q3.12.
constexpr int32_t fixed_logistic(int32_t x) {
  if (x == 0) return 1 << 14;
  const int32_t power = halfword_exponential(x < 0 ? x : -x, 3);
  const int32_t y = halfword_shift_left(halfword_reciprocal(power), 1);
  return x < 0 ? INT16_MAX - y : y;
}

// tanh(x) of x with 0 to 6 integer bits.
constexpr int32_t fixed_tanh(int32_t x, int32_t integer_bits) {
  if (x == 0) return 0;
  const int32_t power = halfword_exponential(x < 0 ? x : -x, integer_bits + 1);  // of -2 |x|
  const int32_t y = halfword_shift_left(halfword_reciprocal(power) - (1 << 13), 2);
  return x < 0 ? -y : y;
}

}  // namespace opsmith
