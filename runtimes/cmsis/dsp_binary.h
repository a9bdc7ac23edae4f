// Functions of runtimes/families/binary.h by the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/families/binary.h"

namespace opsmith::dsp {

// Byte number n of a word, as an element.
template <int32_t n, class T>
int32_t byte_of(uint32_t word) {
  return static_cast<T>(word >> 8 * n);
}

// y[i] = element(a[i], b[i]) of the words of bytes that are neighbours; how many elements these
// are.
template <class T, class Element>
int32_t pairs_of_words(int32_t size, const T* a, const T* b, T* y, Element element) {
  for (int32_t n = size / 4; n > 0; --n, a += 4, b += 4) {
    const auto [of_a, of_b] = load_words(a, b);
    put_four(y, element(byte_of<0, T>(of_a), byte_of<0, T>(of_b)),
             element(byte_of<1, T>(of_a), byte_of<1, T>(of_b)),
             element(byte_of<2, T>(of_a), byte_of<2, T>(of_b)),
             element(byte_of<3, T>(of_a), byte_of<3, T>(of_b)));
  }
  return size & ~3;
}

// y[i] = element(x[i]) likewise.
template <class T, class Element>
int32_t each_of_words(int32_t size, const T* x, T* y, Element element) {
  for (int32_t n = size / 4; n > 0; --n, x += 4) {
    const uint32_t word = load_word(x);
    put_four(y, element(byte_of<0, T>(word)), element(byte_of<1, T>(word)),
             element(byte_of<2, T>(word)), element(byte_of<3, T>(word)));
  }
  return size & ~3;
}

// y = F::of<T>(p, a, b) of every pair of elements. One that repeats along a row is read once, and
// so is what F makes of it alone.
template <class F, class P, class T>
void pairs(const P& p, const T* a, const T* b, T* y) {
  const auto element = [&p](int32_t of_a, int32_t of_b) {
    return static_cast<T>(F::template of<T>(p, Word{of_a}, Word{of_b}).value);
  };
  for_each_row(p, a, b, y, [&p, element](const T* of_a, const T* of_b, T* of_y) {
    constexpr bool words = sizeof(T) == 1 && is_known(&P::activation_min);
    const int32_t size = p.size[4], step_a = p.a_stride[4], step_b = p.b_stride[4];
    int32_t i = 0;
    if (step_a == 0) {
      const auto of_one = [=, repeated = int32_t{*of_a}](int32_t x) {
        return element(repeated, x);
      };
      if (words && step_b == 1) i = each_of_words(size, of_b, of_y, of_one);
      for (; i < size; ++i) of_y[i] = of_one(of_b[i * step_b]);
    } else if (step_b == 0) {
      const auto of_one = [=, repeated = int32_t{*of_b}](int32_t x) {
        return element(x, repeated);
      };
      if (words && step_a == 1) i = each_of_words(size, of_a, of_y, of_one);
      for (; i < size; ++i) of_y[i] = of_one(of_a[i * step_a]);
    } else {
      if (words && step_a == 1 && step_b == 1) {
        i = pairs_of_words(size, of_a, of_b, of_y, element);
      }
      for (; i < size; ++i) of_y[i] = element(of_a[i * step_a], of_b[i * step_b]);
    }
  });
}

}  // namespace opsmith::dsp
