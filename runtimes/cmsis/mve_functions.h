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

// exp(rest) for a rest in [-1/4, 0) in Q0.15. No number that is halved or quartered is negative.
inline int16x8_t halfword_exponential_of_rest(int16x8_t rest) {
  const int16x8_t x = vaddq_n_s16(rest, 1 << 12);
  const int16x8_t x2 = vqrdmulhq_s16(x, x);
  const int16x8_t x3 = vqrdmulhq_s16(x2, x);
  const int16x8_t x4 = vqrdmulhq_s16(x2, x2);
  const int16x8_t cubic = vqrdmulhq_n_s16(vaddq_s16(vrshrq_n_s16(x4, 2), x3), 10923);  // 1/3
  const int16x8_t tail = vrshrq_n_s16(vaddq_s16(cubic, x2), 1);
  constexpr int16_t exp_of_minus_eighth = 28918;
  return vqaddq_n_s16(vqrdmulhq_n_s16(vaddq_s16(x, tail), exp_of_minus_eighth),
                      exp_of_minus_eighth);
}

// y times a factor where bit i of `multiple` is set.
template <int32_t i>
int16x8_t times(int16x8_t y, int16x8_t multiple, int16_t factor) {
  const mve_pred16_t set = vcmpltq_n_s16(vshlq_n_s16(multiple, 15 - i), 0);
  return vpselq_s16(vqrdmulhq_n_s16(y, factor), y, set);
}

// exp(x) for x < 0 that has N integer bits, 1 to 7.
inline int16x8_t halfword_exponential(int16x8_t x, int16x8_t bits) {
  const int16x8_t quarter_bits = vsubq_s16(vdupq_n_s16(13), bits);
  const int16x8_t quarter = vshlq_s16(vdupq_n_s16(1), quarter_bits);
  const int16x8_t rest = vsubq_s16(vandq_s16(x, vsubq_n_s16(quarter, 1)), quarter);
  const int16x8_t multiple = vshlq_s16(vsubq_s16(rest, x), vnegq_s16(quarter_bits));
  int16x8_t y = halfword_exponential_of_rest(vshlq_s16(rest, bits));
  y = times<0>(y, multiple, 25520);  // exp(-1/4)
  y = times<1>(y, multiple, 19875);  // exp(-1/2) …
  y = times<2>(y, multiple, 12055);
  y = times<3>(y, multiple, 4435);
  y = times<4>(y, multiple, 600);
  y = times<5>(y, multiple, 11);
  // exp(-16) and what is smaller are 0
  return vpselq_s16(vdupq_n_s16(0), y, vcmpgtq_n_s16(multiple, 63));
}

// 2 / (1 + x) in Q2.13 for x in [0, 1]: three steps of Newton's method.
inline int16x8_t halfword_reciprocal(int16x8_t x) {
  const int16x8_t half = vrhaddq_s16(x, vdupq_n_s16(INT16_MAX));
  int16x8_t y = vaddq_n_s16(vqrdmulhq_n_s16(half, -15420), 23130);  // 48/17 - 32/17 half
  for (int32_t i = 0; i < 3; ++i) {
    const int16x8_t error = vsubq_s16(vdupq_n_s16(1 << 13), vqrdmulhq_s16(half, y));
    y = vaddq_s16(y, vqshlq_n_s16(vqrdmulhq_s16(y, error), 2));
  }
  return y;
}

inline int16x8_t halfwords(const int32_t* words) {
  return vreinterpretq_s16_s32(vldrwq_s32(words));
}

// The functions of four numbers: the logistic one of Q3.12, whose `bits` are 3, or tanh, which has
// one more than the numbers have integer bits. Of each word the lower half counts: VQRDMULH of
// halfwords is a product, its rounding and its shift.
inline __attribute__((noinline)) int32x4_t fixed_functions(int32x4_t words, int32x4_t bits,
                                                           const FixedFunctions& f) {
  const int16x8_t x = vreinterpretq_s16_s32(words);
  const int16x8_t power =
      halfword_exponential(vnegq_s16(vabsq_s16(x)), vreinterpretq_s16_s32(bits));
  const int16x8_t reciprocal = halfword_reciprocal(power);
  int16x8_t y = vqshlq_s16(vsubq_s16(reciprocal, halfwords(f.less)), halfwords(f.shift));
  y = vpselq_s16(vsubq_s16(halfwords(f.top), y), y, vcmpltq_n_s16(x, 0));
  return vmovlbq_s16(vpselq_s16(halfwords(f.at_0), y, vcmpeqq_n_s16(x, 0)));
}

inline int32x4_t saturated_halfwords(int32x4_t x) {
  return vminq_s32(vmaxq_s32(x, vdupq_n_s32(INT16_MIN)), vdupq_n_s32(INT16_MAX));
}

// Sums times multiplier * 2^(shift - 31) with TFLite's double rounding, for shifts either way.
inline int32x4_t rescaled(int32x4_t sums, int32x4_t multiplier, int32x4_t shift) {
  const int32x4_t zero = vdupq_n_s32(0), right = vminq_s32(shift, zero);
  sums = vqrdmulhq_s32(vshlq_s32(sums, vmaxq_s32(shift, zero)), multiplier);
  // one less where a negative number is shifted to the right
  return vrshlq_s32(vaddq_s32(sums, vshrq_n_s32(vandq_s32(sums, right), 31)), right);
}

}  // namespace opsmith::mve
