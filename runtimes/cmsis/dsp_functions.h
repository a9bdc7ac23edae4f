// The functions of gates and cells in fixed point, for the DSP extension: with the bits of
// runtimes/core/fixed_activation.h, whose operations these are. Fast because one instruction
// multiplies and rounds, so one of two factors is 2^17 times as large; no product needs saturation.
#pragma once

#include <stdint.h>

#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::dsp {

// exp(rest) for a rest in [-1/4, 0) in Q0.15. No number that is halved or quartered is negative.
inline int32_t halfword_exponential_of_rest(int32_t rest) {
  const int32_t x = rest + (1 << 12), wide = x * (1 << 17);
  const int32_t x2 = smmulr(wide, x);
  const int32_t x3 = smmulr(wide, x2);
  const int32_t x4 = smmulr(x2 << 17, x2);
  const int32_t cubic = smmulr(((x4 + 2) >> 2) + x3, 10923 << 17);  // 1/3
  const int32_t tail = (cubic + x2 + 1) >> 1;
  constexpr int32_t exp_of_minus_eighth = 28918;
  return smmlar(2 * (x + tail), exp_of_minus_eighth << 16, exp_of_minus_eighth);
}

// exp(x) for x < 0 that has 1 to 7 integer bits.
inline int32_t halfword_exponential(int32_t x, int32_t integer_bits) {
  constexpr int16_t factors[] = {25520, 19875, 12055, 4435, 600, 11};  // exp(-1/4), exp(-1/2), …
  const int32_t quarter_bits = 13 - integer_bits;
  const int32_t quarter = 1 << quarter_bits;
  const int32_t rest = (x & (quarter - 1)) - quarter;
  const int32_t multiple = (rest - x) >> quarter_bits;
  int32_t y = halfword_exponential_of_rest(rest * (1 << integer_bits));
#pragma GCC unroll 6
  for (int32_t i = 0; i < 6; ++i) {
    if (i < integer_bits + 2 && (multiple >> i & 1) != 0) {
      y = (static_cast<int16_t>(y) * factors[i] + (1 << 14)) >> 15;
    }
  }
  return integer_bits > 4 && multiple > 63 ? 0 : y;  // exp(-16) and what is smaller are 0
}

// 4 / (1 + x) in Q2.13 for x in [0, 1] in Q0.15: three steps of Newton's method.
inline int32_t doubled_reciprocal(int32_t x) {
  const int32_t half = (x + INT16_MAX + 1) >> 1 << 16;
  int32_t y = 2 * smmlar(half, -15420 * 2, 23130);  // 48/17 - 32/17 half
#pragma GCC unroll 3
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - smmulr(half, y) * (1 << 16);
    y += smmulr(y, error) * 8;
  }
  return y;
}

// 1 / (1 + exp(-x)) of x in Q3.12.
inline int32_t fixed_logistic(int32_t x) {
  if (x == 0) return 1 << 14;
  const int32_t y = doubled_reciprocal(halfword_exponential(x < 0 ? x : -x, 3));
  return x < 0 ? INT16_MAX - min(y, INT16_MAX) : min(y, INT16_MAX);
}

// tanh(x) of x with 0 to 6 integer bits.
inline int32_t fixed_tanh(int32_t x, int32_t integer_bits) {
  if (x == 0) return 0;
  const int32_t power = halfword_exponential(x < 0 ? x : -x, integer_bits + 1);  // of -2 |x|
  const int32_t y = min(2 * doubled_reciprocal(power) - (1 << 15), INT16_MAX);
  return x < 0 ? -y : y;
}

}  // namespace opsmith::dsp
