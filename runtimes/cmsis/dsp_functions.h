// The functions of gates and cells in fixed point, for the DSP extension: with the bits of
// runtimes/core/fixed_activation.h, whose operations these are. Fast because one instruction
// multiplies and rounds, so one of two factors is 2^17 times as large; no product needs saturation.
#pragma once

#include <stdint.h>

#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::dsp {

// A factor in Q0.15 as SMMULR takes it, or, from 1/2, SMMLAR with the other factor as its sum.
constexpr int32_t widened(uint32_t factor) { return static_cast<int32_t>(factor << 17); }

// exp(x - 1/8) for x in [-1/8, 1/8) in Q0.15. No number that is halved or quartered is negative.
inline int32_t halfword_exponential_of_rest(int32_t x) {
  const int32_t wide = x * (1 << 17);
  const int32_t x2 = smmulr(wide, x);
  const int32_t x3 = smmulr(wide, x2);
  const int32_t x4 = smmulr(x2 << 17, x2);
  const int32_t twice_tail = smmlar(((x4 + 2) >> 2) + x3, 10923 << 17, x2);  // 1/3
  const int32_t series = x + ((twice_tail + 1) >> 1) + (1 << 15);
  return smmlar(series, widened(28918), series);  // exp(-1/8)
}

// exp(x) for x < 0 in Q0.15 that has 1 to 7 integer bits more: a bit of ~x for each factor
// exp(-1/4), exp(-1/2), … A shift has two of them as flags, from the least.
inline int32_t halfword_exponential(int32_t x, int32_t integer_bits) {
  int32_t y = halfword_exponential_of_rest((x & 0x1fff) - (1 << 12)), flags;
  __asm(
      "lsls %[flags], %[x], #18\n\t"
      "it pl\n\t"
      "smmlarpl %[y], %[y], %[quarter], %[y]\n\t"
      "it cc\n\t"
      "smmlarcc %[y], %[y], %[half], %[y]\n\t"
      "lsls %[flags], %[x], #16\n\t"
      "it pl\n\t"
      "smmulrpl %[y], %[y], %[one]\n\t"
      "it cc\n\t"
      "smmulrcc %[y], %[y], %[two]\n\t"
      "lsls %[flags], %[x], #14\n\t"
      "it pl\n\t"
      "smmulrpl %[y], %[y], %[four]"
      : [y] "+&r"(y), [flags] "=&r"(flags)
      : [x] "r"(x), [quarter] "r"(widened(25520)), [half] "r"(widened(19875)),
        [one] "r"(widened(12055)), [two] "r"(widened(4435)), [four] "r"(widened(600))
      : "cc");
  if (integer_bits < 4) return y;
  __asm(
      "lsls %[flags], %[x], #13\n\t"
      "it pl\n\t"
      "smmulrpl %[y], %[y], %[eight]"
      : [y] "+&r"(y), [flags] "=&r"(flags)
      : [x] "r"(x), [eight] "r"(widened(11))
      : "cc");
  return integer_bits > 4 && x < -(16 << 15) ? 0 : y;  // exp(-16) and what is smaller are 0
}

// 4 / (1 + x) in Q2.13 for x in [0, 1] in Q0.15: three steps of Newton's method.
inline int32_t doubled_reciprocal(int32_t x) {
  const int32_t half = (x + INT16_MAX + 1) >> 1 << 16;
  int32_t y = 2 * smmlsr(half, 15420 * 2, 23130);  // 48/17 - 32/17 half
#pragma GCC unroll 3
  for (int32_t i = 0; i < 3; ++i) {
    int32_t error;  // 1 - half * y; one instruction, of which GCC makes two
    __asm("sub %0, %1, %2, lsl #16" : "=r"(error) : "r"(1 << 29), "r"(smmulr(half, y)));
    y += smmulr(y, error) * 8;
  }
  return y;
}

// -|x| * 2^n
inline int32_t negative(int32_t x, int32_t n) {
  const int32_t sign = x >> 31;
  return (sign - (x ^ sign)) * (1 << n);
}

// 1 / (1 + exp(-x)) of x in Q3.12.
inline int32_t fixed_logistic(int32_t x) {
  if (x == 0) return 1 << 14;
  const int32_t y = __ssat(doubled_reciprocal(halfword_exponential(negative(x, 3), 3)), 16);
  return (y ^ (x >> 31)) & INT16_MAX;  // INT16_MAX - y where x is negative
}

// tanh(x) of x with 0 to 6 integer bits.
inline int32_t fixed_tanh(int32_t x, int32_t integer_bits) {
  if (x == 0) return 0;
  const int32_t bits = integer_bits + 1, sign = x >> 31;
  const int32_t power = halfword_exponential(negative(x, bits), bits);  // of -2 |x|
  const int32_t y = __ssat(2 * doubled_reciprocal(power) - (1 << 15), 16);
  return (y ^ sign) - sign;
}

}  // namespace opsmith::dsp
