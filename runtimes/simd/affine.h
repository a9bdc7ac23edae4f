// Needs vectors. Fast because eight sums of affine.h are computed at a time.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/core/affine.h"

namespace opsmith::simd {

inline constexpr int32_t kElements = 8;
using Bytes [[gnu::vector_size(kElements)]] = int8_t;
using Halves [[gnu::vector_size(2 * kElements)]] = int16_t;
using Words [[gnu::vector_size(4 * kElements)]] = int32_t;

// The products of affine_product, of eight neighbours.
template <class T>
Words affine_products(const T* x, int32_t multiplier) {
  Bytes bytes;
  memcpy(&bytes, x, sizeof bytes);
  if (kCentre<T> != 0) bytes ^= static_cast<int8_t>(-128);
  const Words words = __builtin_convertvector(__builtin_convertvector(bytes, Halves), Words);
  return words * (multiplier >> 8) + ((words * (multiplier & 255)) >> 8);
}

// What affine_pairs computes, for rows of neighbours or of one element.
template <class P, class T>
void affine_pairs(const P& p, const T* a, const T* b, T* y) {
  const auto product = [](const T* x, int32_t stride, int32_t i, int32_t multiplier) {
    return affine_product(centred(x[i * stride]), multiplier);
  };
  for_each_row(p, a, b, y, [&p, product](const T* of_a, const T* of_b, T* of_y) {
    const int32_t a_stride = p.a_stride[4], b_stride = p.b_stride[4], size = p.size[4];
    const Words low = Words{} + p.activation_min, high = Words{} + p.activation_max;
    const int32_t fixed = p.offset + (a_stride == 0 ? product(of_a, 0, 0, p.a_multiplier) : 0) +
                          (b_stride == 0 ? product(of_b, 0, 0, p.b_multiplier) : 0);
    int32_t i = 0;
    for (; i + kElements <= size; i += kElements) {
      Words sums = Words{} + fixed;
      if (a_stride != 0) sums += affine_products(of_a + i, p.a_multiplier);
      if (b_stride != 0) sums += affine_products(of_b + i, p.b_multiplier);
      sums >>= p.shift;
      sums = sums < low ? low : sums;
      sums = sums > high ? high : sums;
      const Bytes found = __builtin_convertvector(__builtin_convertvector(sums, Halves), Bytes);
      memcpy(of_y + i, &found, sizeof found);
    }
    for (; i < size; ++i) {
      const int32_t sum = fixed + (a_stride != 0 ? product(of_a, 1, i, p.a_multiplier) : 0) +
                          (b_stride != 0 ? product(of_b, 1, i, p.b_multiplier) : 0);
      of_y[i] = static_cast<T>(clamp(sum >> p.shift, p.activation_min, p.activation_max));
    }
  });
}

}  // namespace opsmith::simd
