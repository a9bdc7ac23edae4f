// Sums of quantised bytes at a common scale by the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp_binary.h"
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

// y[i] = element(large[i], terms[small[i]]) of rows of neighbours, four at a time: loads behind
// loads take a cycle each.
template <class T, class Element>
int32_t look_up_words(int32_t size, const T* large, const T* small, const int32_t* terms, T* y,
                      Element element) {
  const uint8_t* at = reinterpret_cast<const uint8_t*>(small);
  for (int32_t n = size >> 2; n > 0; --n, large += 4, at += 4, y += 4) {
    int32_t i0 = at[0], i1 = at[1], i2 = at[2], i3 = at[3];
    __asm("" : "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3));  // before any of them is an address
    const int32_t term0 = terms[i0], term1 = terms[i1], term2 = terms[i2], term3 = terms[i3];
    const uint32_t word = load_word(large);
    y[0] = element(byte_of<0, T>(word), term0);
    y[1] = element(byte_of<1, T>(word), term1);
    y[2] = element(byte_of<2, T>(word), term2);
    y[3] = element(byte_of<3, T>(word), term3);
  }
  return size & ~3;
}

// y = clamp(rescaled(term + large * large_factor)) of every pair of elements, as
// rounded_twice of dsp_words.h does it, with the zero point of y as part of `half`. A term that
// repeats along a row is made once; others are in a table of 256, as the bytes of elements are.
template <class P, class T>
void sums_of_terms(const P& p, const T* a, const T* b, T* y, int32_t* terms) {
  const int32_t factor = p.large_factor, multiplier = p.y_multiplier, half = p.half;
  const int32_t shift = p.y_shift, low = p.activation_min, high = p.activation_max;
  const auto element = [=](int32_t large, int32_t term) {
    const int32_t twice = term + large * factor;
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
    const auto looked_up = [=](int32_t x, T of_small) {
      return element(x, terms[static_cast<uint8_t>(of_small)]);
    };
    int32_t i = 0;
    if (small_step == 0) {
      const auto of_large = [=, term = term_of(p, *small)](int32_t x) { return element(x, term); };
      if (words) i = each_of_words(size, large, of_y, of_large);
      for (; i < size; ++i) of_y[i] = of_large(large[i]);
    } else {
      if (words && large_step != 0) i = look_up_words(size, large, small, terms, of_y, element);
      for (; i < size; ++i) of_y[i] = looked_up(large[i * large_step], small[i]);
    }
  });
}

}  // namespace opsmith::dsp
