// Sums of products that take the place of TFLite's rescaling, for the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::dsp {

// sum + multiplier * half(x) / 2^16, rounded down: bottom or top half of x.
inline int32_t smlawb(int32_t multiplier, uint32_t x, int32_t sum) {
  int32_t result;
  __asm("smlawb %0, %1, %2, %3" : "=r"(result) : "r"(multiplier), "r"(x), "r"(sum));
  return result;
}
inline int32_t smlawt(int32_t multiplier, uint32_t x, int32_t sum) {
  int32_t result;
  __asm("smlawt %0, %1, %2, %3" : "=r"(result) : "r"(multiplier), "r"(x), "r"(sum));
  return result;
}

// y[i] = clamp((offset + a[i] * a_multiplier / 2^8 + b[i] * b_multiplier / 2^8) >> shift), four
// elements at a time: a byte that is the high one of a halfword is 2^8 times itself. S has these
// constants, activation_min and activation_max.
template <class S>
void add_affine(const S& s, const int8_t* a, const int8_t* b, int8_t* y) {
  int32_t elements = s.size[4];
  uint32_t high_bytes = 0xff00ff00u;
  __asm("" : "+r"(high_bytes));  // a register, so that AND can shift its other operand
  for (; elements >= 4; elements -= 4, a += 4, b += 4, y += 4) {
    const uint32_t word_a = load_word(a), word_b = load_word(b);
    const uint32_t even_a = high_bytes & (word_a << 8), odd_a = word_a & high_bytes;
    const uint32_t even_b = high_bytes & (word_b << 8), odd_b = word_b & high_bytes;
    const int32_t sum0 = smlawb(s.b_multiplier, even_b, smlawb(s.a_multiplier, even_a, s.offset));
    const int32_t sum1 = smlawb(s.b_multiplier, odd_b, smlawb(s.a_multiplier, odd_a, s.offset));
    const int32_t sum2 = smlawt(s.b_multiplier, even_b, smlawt(s.a_multiplier, even_a, s.offset));
    const int32_t sum3 = smlawt(s.b_multiplier, odd_b, smlawt(s.a_multiplier, odd_a, s.offset));
    y[0] = clamped(s, sum0 >> s.shift);
    y[1] = clamped(s, sum1 >> s.shift);
    y[2] = clamped(s, sum2 >> s.shift);
    y[3] = clamped(s, sum3 >> s.shift);
  }
  for (; elements > 0; --elements) {
    const uint32_t high_a = static_cast<uint32_t>(*a++) << 8;
    const uint32_t high_b = static_cast<uint32_t>(*b++) << 8;
    const int32_t sum = smlawb(s.b_multiplier, high_b, smlawb(s.a_multiplier, high_a, s.offset));
    *y++ = clamped(s, sum >> s.shift);
  }
}

}  // namespace opsmith::dsp
