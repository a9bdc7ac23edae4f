// Needs vectors. Fast because a vector of sums of affine.h is computed at a time.
#pragma once

#include <stdint.h>

#include "runtimes/core/affine.h"
#include "runtimes/simd/words.h"

namespace opsmith::simd {

// The products of affine_product, of neighbours.
template <class V, class T>
typename WordLanes<V>::Lanes affine_products(const T* x, int32_t multiplier) {
  const auto words = WordLanes<V>::of(V::words(x)).value - kCentre<T>;
  return words * (multiplier >> 8) + ((words * (multiplier & 255)) >> 8);
}

// What affine_pairs computes, for rows of neighbours or of one element.
template <class V, class P, class T>
void affine_pairs(const P& p, const T* a, const T* b, T* y) {
  const auto product = [](const T* x, int32_t stride, int32_t i, int32_t multiplier) {
    return affine_product(centred(x[i * stride]), multiplier);
  };
  for_each_row(p, a, b, y, [&p, product](const T* of_a, const T* of_b, T* of_y) {
    const int32_t a_stride = p.a_stride[4], b_stride = p.b_stride[4], size = p.size[4];
    const int32_t fixed = p.offset + (a_stride == 0 ? product(of_a, 0, 0, p.a_multiplier) : 0) +
                          (b_stride == 0 ? product(of_b, 0, 0, p.b_multiplier) : 0);
    int32_t i = 0;
    for (; i + V::kLanes <= size; i += V::kLanes) {
      WordLanes<V> sums = WordLanes<V>::repeated(fixed);
      if (a_stride != 0) sums.value += affine_products<V>(of_a + i, p.a_multiplier);
      if (b_stride != 0) sums.value += affine_products<V>(of_b + i, p.b_multiplier);
      sums.value >>= p.shift;
      V::put(clamp(sums, p.activation_min, p.activation_max).sums(), of_y + i);
    }
    for (; i < size; ++i) {
      const int32_t sum = fixed + (a_stride != 0 ? product(of_a, 1, i, p.a_multiplier) : 0) +
                          (b_stride != 0 ? product(of_b, 1, i, p.b_multiplier) : 0);
      of_y[i] = static_cast<T>(clamp(sum >> p.shift, p.activation_min, p.activation_max));
    }
  });
}

}  // namespace opsmith::simd
