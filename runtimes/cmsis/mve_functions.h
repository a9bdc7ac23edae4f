// The functions of gates and cells in fixed point, four at a time, for Helium: with the bits of
// runtimes/core/fixed_activation.h, whose operations these are.
#pragma once

#include <arm_mve.h>
#include <stdint.h>

namespace opsmith::mve {

// What tells the logistic function and tanh apart: they are made of 1 / (1 + exp(-x)), or of
// exp(-2x). One for each lane.
struct FixedFunctions {
  int32_t at_0[4];   // the function of 0
  int32_t less[4];   // what is taken off the reciprocal, in Q2.13
  int32_t shift[4];  // to the left after that
  int32_t top[4];    // the function of -x is this, less that of x
};

// The logistic function in lanes whose bit is set, tanh in the others.
constexpr FixedFunctions functions_of(uint32_t logistic) {
  FixedFunctions f = {{}, {}, {}, {}};
  for (int32_t lane = 0; lane < 4; ++lane) {
    const bool is_logistic = (logistic >> lane & 1) != 0;
    f.at_0[lane] = is_logistic ? 1 << 14 : 0;
    f.less[lane] = is_logistic ? 0 : 1 << 13;
    f.shift[lane] = is_logistic ? 1 : 2;
    f.top[lane] = is_logistic ? INT16_MAX : 0;
  }
  return f;
}

// round(a * b / 2^15), ties up.
inline int32x4_t halfword_mul(int32x4_t a, int32x4_t b) {
  return vrshrq_n_s32(vmulq_s32(a, b), 15);
}
inline int32x4_t halfword_mul(int32x4_t a, int32_t b) {
  return vrshrq_n_s32(vmulq_n_s32(a, b), 15);
}

inline int32x4_t saturated_halfwords(int32x4_t x) {
  return vminq_s32(vmaxq_s32(x, vdupq_n_s32(INT16_MIN)), vdupq_n_s32(INT16_MAX));
}

// exp(rest) for a rest in [-1/4, 0) in Q0.15. No number that is halved or quartered is negative.
inline int32x4_t halfword_exponential_of_rest(int32x4_t rest) {
  const int32x4_t x = vaddq_n_s32(rest, 1 << 12);
  const int32x4_t x2 = halfword_mul(x, x);
  const int32x4_t x3 = halfword_mul(x2, x);
  const int32x4_t x4 = halfword_mul(x2, x2);
  const int32x4_t cubic = halfword_mul(vaddq_s32(vrshrq_n_s32(x4, 2), x3), 10923);  // 1/3
  const int32x4_t tail = vrshrq_n_s32(vaddq_s32(cubic, x2), 1);
  constexpr int32_t exp_of_minus_eighth = 28918;
  const int32x4_t more = halfword_mul(vaddq_s32(x, tail), exp_of_minus_eighth);
  return vminq_s32(vaddq_n_s32(more, exp_of_minus_eighth), vdupq_n_s32(INT16_MAX));
}

// y times a factor where bit i of `multiple` is set.
template <int32_t i>
int32x4_t times(int32x4_t y, int32x4_t multiple, int32_t factor) {
  const mve_pred16_t set = vcmpltq_n_s32(vshlq_n_s32(multiple, 31 - i), 0);
  return vpselq_s32(halfword_mul(y, factor), y, set);
}

// exp(x) for x < 0 that has N integer bits, 1 to 7.
inline int32x4_t halfword_exponential(int32x4_t x, int32x4_t bits) {
  const int32x4_t quarter_bits = vsubq_s32(vdupq_n_s32(13), bits);
  const int32x4_t quarter = vshlq_s32(vdupq_n_s32(1), quarter_bits);
  const int32x4_t rest = vsubq_s32(vandq_s32(x, vsubq_n_s32(quarter, 1)), quarter);
  const int32x4_t multiple = vshlq_s32(vsubq_s32(rest, x), vnegq_s32(quarter_bits));
  int32x4_t y = halfword_exponential_of_rest(vshlq_s32(rest, bits));
  y = times<0>(y, multiple, 25520);  // exp(-1/4)
  y = times<1>(y, multiple, 19875);  // exp(-1/2) …
  y = times<2>(y, multiple, 12055);
  y = times<3>(y, multiple, 4435);
  y = times<4>(y, multiple, 600);
  y = times<5>(y, multiple, 11);
  // exp(-16) and what is smaller are 0
  return vpselq_s32(vdupq_n_s32(0), y, vcmpgtq_n_s32(multiple, 63));
}

// 2 / (1 + x) in Q2.13 for x in [0, 1]: three steps of Newton's method.
inline int32x4_t halfword_reciprocal(int32x4_t x) {
  const int32x4_t half = vshrq_n_s32(vaddq_n_s32(x, INT16_MAX + 1), 1);
  int32x4_t y = vaddq_n_s32(halfword_mul(half, -15420), 23130);  // 48/17 - 32/17 half
  for (int32_t i = 0; i < 3; ++i) {
    const int32x4_t error = vsubq_s32(vdupq_n_s32(1 << 13), halfword_mul(half, y));
    y = vaddq_s32(y, saturated_halfwords(vshlq_n_s32(halfword_mul(y, error), 2)));
  }
  return y;
}

// The functions of four numbers: the logistic one of Q3.12, whose `bits` are 3, or tanh, which has
// one more than the numbers have integer bits.
inline __attribute__((noinline)) int32x4_t fixed_functions(int32x4_t x, int32x4_t bits,
                                                           const FixedFunctions& f) {
  const int32x4_t power = halfword_exponential(vnegq_s32(vabsq_s32(x)), bits);
  const int32x4_t reciprocal = halfword_reciprocal(power);
  int32x4_t y = saturated_halfwords(
      vshlq_s32(vsubq_s32(reciprocal, vldrwq_s32(f.less)), vldrwq_s32(f.shift)));
  y = vpselq_s32(vsubq_s32(vldrwq_s32(f.top), y), y, vcmpltq_n_s32(x, 0));
  return vpselq_s32(vldrwq_s32(f.at_0), y, vcmpeqq_n_s32(x, 0));
}

// Sums times multiplier * 2^(shift - 31) with TFLite's double rounding, for shifts either way.
inline int32x4_t rescaled(int32x4_t sums, int32x4_t multiplier, int32x4_t shift) {
  const int32x4_t zero = vdupq_n_s32(0), right = vminq_s32(shift, zero);
  sums = vqrdmulhq_s32(vshlq_s32(sums, vmaxq_s32(shift, zero)), multiplier);
  // one less where a negative number is shifted to the right
  return vrshlq_s32(vaddq_s32(sums, vshrq_n_s32(vandq_s32(sums, right), 31)), right);
}

}  // namespace opsmith::mve
