// Needs the DSP extension. Fast because the operand with the larger scale is only shifted, the
// other rescaled once where it repeats along a row, and SMMLA requantises a square, which is proved
// for all of them. For rows of neighbours, or of one element of the other operand.
#pragma once

#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/core/broadcast.h"
#include "squared_difference.op.h"

namespace opsmith::squared_difference {

inline constexpr int32_t kWhole = 1 << 6, kTwice = 1 << 8;

// A number that is not known at compile time: it stays in a register.
template <class T>
T in_register(T x) {
  __asm("" : "+r"(x));
  return x;
}

// Halfwords of x times a low one, and an addend that is still needed.
inline int32_t low_sum(uint32_t x, uint32_t factor, int32_t addend) {
  int32_t sum;
  __asm("smlabb %0, %1, %2, %3" : "=r"(sum) : "r"(x), "r"(factor), "r"(addend));
  return sum;
}
inline int32_t high_sum(uint32_t x, uint32_t factor, int32_t addend) {
  int32_t sum;
  __asm("smlatb %0, %1, %2, %3" : "=r"(sum) : "r"(x), "r"(factor), "r"(addend));
  return sum;
}

// A function of a difference: its square as an element of y. P's constants are copied, since y
// could alias them.
template <class P>
__attribute__((always_inline)) inline auto squaring(const P& p) {
  return [multiplier = in_register(p.y_multiplier), offset = p.y_offset,
          shift = p.y_shift](int32_t difference) __attribute__((always_inline)) {
    const int32_t high = dsp::smmla(difference * difference, multiplier, offset);
    return static_cast<int8_t>(__ssat(high >> shift, 8));
  };
}

// The squares of a row less one element. Not inlined in the loops over rows, whose variables would
// take registers.
template <class P>
__attribute__((noinline)) void squares_less_one(const P& p, const int8_t* whole, int32_t scaled,
                                                int8_t* y) {
  const auto squared = squaring(p);
  const int32_t twice = (scaled - p.zero_scaled) * kTwice, size = p.size[4];
  const int32_t less = -kWhole * p.zero_whole - dsp::rounded_twice(twice, p.multiplier, p.shift);
  const uint32_t factor = in_register(static_cast<uint32_t>(kWhole));
  for (int32_t n = size >> 2; n > 0; --n, whole += 4, y += 4) {
    const uint32_t word = dsp::load_word(whole);
    const uint32_t even = dsp::sxtb16(word), odd = dsp::sxtb16_ror8(word);
    y[0] = squared(low_sum(even, factor, less));
    y[1] = squared(low_sum(odd, factor, less));
    y[2] = squared(high_sum(even, factor, less));
    y[3] = squared(high_sum(odd, factor, less));
  }
  for (int32_t n = size & 3; n > 0; --n) *y++ = squared(*whole++ * kWhole + less);
}

// Likewise of neighbours of both operands.
template <class P>
__attribute__((noinline)) void squares(const P& p, const int8_t* whole, const int8_t* scaled,
                                       int8_t* y) {
  const auto squared = squaring(p);
  const int32_t zero_whole = p.zero_whole, zero_scaled = p.zero_scaled, size = p.size[4];
  const auto of = [squared, multiplier = in_register(p.multiplier), shift = p.shift](
                      int32_t four_times, int32_t twice) __attribute__((always_inline)) {
    return squared((four_times >> 2) - dsp::rounded_twice(twice, multiplier, shift));
  };
  const uint32_t less_whole = in_register(dsp::in_both_halves(-zero_whole));
  const uint32_t less_scaled = in_register(dsp::in_both_halves(-zero_scaled));
  const uint32_t twice = in_register(static_cast<uint32_t>(kTwice));
  for (int32_t n = size >> 2; n > 0; --n, whole += 4, scaled += 4, y += 4) {
    const uint32_t word = dsp::load_word(whole), other = dsp::load_word(scaled);
    const uint32_t even = dsp::sxtab16(less_whole, word);
    const uint32_t even_scaled = dsp::sxtab16(less_scaled, other);
    y[0] = of(dsp::smulbb(even, twice), dsp::smulbb(even_scaled, twice));
    y[2] = of(dsp::smultb(even, twice), dsp::smultb(even_scaled, twice));
    const uint32_t odd = dsp::sxtab16_ror8(less_whole, word);
    const uint32_t odd_scaled = dsp::sxtab16_ror8(less_scaled, other);
    y[1] = of(dsp::smulbb(odd, twice), dsp::smulbb(odd_scaled, twice));
    y[3] = of(dsp::smultb(odd, twice), dsp::smultb(odd_scaled, twice));
  }
  for (int32_t n = size & 3; n > 0; --n) {
    *y++ = of((*whole++ - zero_whole) * kTwice, (*scaled++ - zero_scaled) * kTwice);
  }
}

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const int8_t* whole = p.swapped ? in.b : in.a;
  const int8_t* scaled = p.swapped ? in.a : in.b;
  for_each_row(p, whole, scaled, out.y, [&p](const int8_t* a, const int8_t* b, int8_t* y) {
    if (p.b_stride[4] == 0) {
      squares_less_one(p, a, *b, y);
    } else {
      squares(p, a, b, y);
    }
  });
}

}  // namespace opsmith::squared_difference
