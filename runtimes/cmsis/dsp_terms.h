// Sums of quantised bytes at a common scale by the DSP extension.
#pragma once

#include "runtimes/cmsis/affine.h"
#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::dsp {

// How an element of the tensor with the smaller scale becomes its term of twice a sum: all that is
// not a multiple of an element of the other. P has these constants.
template <class P>
int32_t term_of(const P& p, int32_t x) {
  const Word lifted{(x - p.small_zero_point) * (1 << p.headroom)};
  const Word scaled = multiply_by_quantized_multiplier(lifted, p.small_multiplier, p.small_shift);
  return p.offset + p.small_factor * scaled.value;
}

// A term that every element of a row has.
struct OneTerm {
  int32_t term;

  int32_t read() const { return term; }
  void read(int32_t& first, int32_t& second) const { first = second = term; }
};

// Terms of neighbours by a table of 256, as their bytes are. Two are read in assembly, since loads
// behind loads take a cycle each; more run out of registers.
struct TermsOfBytes {
  const int32_t* terms;
  const uint8_t* at;

  int32_t read() { return terms[*at++]; }
  void read(int32_t& first, int32_t& second) {
    __asm(
        "ldrb %0, [%2], #1\n\t"
        "ldrb %1, [%2], #1\n\t"
        "ldr %0, [%3, %0, lsl #2]\n\t"
        "ldr %1, [%3, %1, lsl #2]"
        : "=&r"(first), "=&r"(second), "+r"(at)
        : "r"(terms), "m"(*reinterpret_cast<const int32_t (*)[256]>(terms)),
          "m"(*reinterpret_cast<const uint8_t (*)[2]>(at)));
  }
};

// y[i] = element(term + large[i] * factor / 2^8) of a row, where `words` says so by words, two in a
// turn.
template <bool words, class T, class Terms, class Element>
void sum_row(int32_t size, const T* large, int32_t step, Terms terms, int32_t factor, T* y,
             Element element) {
  if (words && step != 0) {
    const HighByteMask high_bytes;
    const auto four = [&]() __attribute__((always_inline)) {
      const HighBytes of = high_bytes(large);
      large += 4;
      __asm("" : "+r"(large));  // as it is loaded
      int32_t first, second;
      terms.read(first, second);
      put_next(y, element(smlawb(factor, of.even, first)));
      put_next(y, element(smlawb(factor, of.odd, second)));
      terms.read(first, second);
      put_next(y, element(smlawt(factor, of.even, first)));
      put_next(y, element(smlawt(factor, of.odd, second)));
    };
    for (; size >= 8; size -= 8) {
      four();
      four();
    }
    if (size >= 4) four();
    size %= 4;
  }
  for (; size > 0; --size, large += step) {
    *y++ = element(smlawb(factor, high_byte(*large), terms.read()));
  }
}

// y = clamp(rescaled(term + large * large_factor / 2^8)) of every pair of elements, large ones
// centred, as rounded_twice of dsp_words.h does it, with the zero point of y as part of `half`. A
// term that repeats along a row is made once; others are in a table of 256.
template <class P, class T>
void sums_of_terms(const P& p, const T* a, const T* b, T* y, int32_t* terms) {
  const int32_t factor = p.large_factor, multiplier = p.y_multiplier, half = p.half;
  const int32_t shift = p.y_shift, low = p.activation_min, high = p.activation_max;
  const auto element = [=](int32_t twice) {
    const Word found{(smmlar(twice, multiplier, half) + (twice >> 31)) >> shift};
    return static_cast<T>(clamp(found, low, high).value);
  };
  const bool a_is_large = p.a_is_large;
  const int32_t large_step = a_is_large ? p.a_stride[4] : p.b_stride[4];
  const int32_t small_step = a_is_large ? p.b_stride[4] : p.a_stride[4], size = p.size[4];
  for (int32_t i = 0; small_step != 0 && i < 256; ++i) terms[i] = term_of(p, static_cast<T>(i));
  for_each_row(p, a, b, y, [=, &p](const T* of_a, const T* of_b, T* of_y) {
    constexpr bool words = is_known(&P::activation_min);
    const T *large = a_is_large ? of_a : of_b, *small = a_is_large ? of_b : of_a;
    if (small_step == 0) {
      const OneTerm term{term_of(p, *small)};
      sum_row<words>(size, large, large_step, term, factor, of_y, element);
    } else {
      const TermsOfBytes of_small{terms, reinterpret_cast<const uint8_t*>(small)};
      sum_row<words>(size, large, large_step, of_small, factor, of_y, element);
    }
  });
}

}  // namespace opsmith::dsp
