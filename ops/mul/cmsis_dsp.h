// Needs the DSP extension. Fast because SXTAB16 takes the zero point from two elements at once, and
// SMMULR rescales a product. For rows of neighbours, and shifts to the right.
#pragma once

#include "mul.op.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::mul {

// Twice a product as an element of y; runtimes/cmsis/dsp.h says why. `offset` is half and the zero
// point, shifted left by -shift.
template <class P>
int8_t rescaled(const P& p, int32_t twice, int32_t offset) {
  const int32_t scaled = dsp::smmulr(twice, p.multiplier);
  return dsp::clamped(p, (scaled + (scaled >> 31) + offset) >> -p.shift);
}

// Products of the low halfwords, and of the high ones: SMULBB and SMULTT.
inline int32_t low_product(uint32_t a, uint32_t b) {
  return static_cast<int16_t>(a) * static_cast<int16_t>(b);
}
inline int32_t high_product(uint32_t a, uint32_t b) {
  return (static_cast<int32_t>(a) >> 16) * (static_cast<int32_t>(b) >> 16);
}

template <class P>
void multiply_row(const P& p, const int8_t* a, const int8_t* b, int8_t* y) {
  const uint32_t less_a = static_cast<uint16_t>(-p.a_zero_point) * 0x00010001u;
  const uint32_t less_b = static_cast<uint16_t>(-p.b_zero_point) * 0x00010001u;
  const int32_t offset = (1 + 2 * p.y_zero_point) * (1 << (-p.shift - 1));
  for (int32_t n = p.size[4] >> 2; n > 0; --n, a += 4, b += 4, y += 4) {
    const uint32_t word_a = dsp::load_word(a), word_b = dsp::load_word(b);
    const uint32_t even_a = dsp::sxtab16(less_a, word_a), even_b = dsp::sxtab16(less_b, word_b);
    const uint32_t odd_a = dsp::sxtab16_ror8(less_a, word_a);
    const uint32_t odd_b = dsp::sxtab16_ror8(less_b, word_b);
    const uint32_t even = __sadd16(even_a, even_a), odd = __sadd16(odd_a, odd_a);
    y[0] = rescaled(p, low_product(even, even_b), offset);
    y[1] = rescaled(p, low_product(odd, odd_b), offset);
    y[2] = rescaled(p, high_product(even, even_b), offset);
    y[3] = rescaled(p, high_product(odd, odd_b), offset);
  }
  for (int32_t n = p.size[4] & 3; n > 0; --n) {
    const int32_t product = (*a++ - p.a_zero_point) * (*b++ - p.b_zero_point);
    *y++ = rescaled(p, 2 * product, offset);
  }
}

template <class P>
void mul_i8_cmsis_dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_row(p, in.a, in.b, out.y,
               [&p](const int8_t* a, const int8_t* b, int8_t* y) { multiply_row(p, a, b, y); });
}

}  // namespace opsmith::mul
