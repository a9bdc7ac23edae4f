// Sums of products that take the place of TFLite's rescaling where runtimes/core/affine.py has
// proved them exact for every input. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/unaligned.h"

namespace opsmith {

// x * multiplier / 2^8, rounded down, for an int8 x: two short multiplications, since cores without
// a long one would call a function for it.
constexpr int32_t affine_product(int32_t x, int32_t multiplier) {
  return x * (multiplier >> 8) + ((x * (multiplier & 255)) >> 8);
}

// y[i] = clamp((offset + x[i] * multiplier) >> shift), in rising order; P has these constants.
template <class P, class X, class Y>
void affine_elements(const P& p, const X* x, Y* y) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const int32_t sum = x[i] * p.multiplier + p.offset;
    y[i] = static_cast<Y>(clamp(sum >> p.shift, p.y_min, p.y_max));
  }
}

// Four bytes with the highest bit of each flipped.
inline void flip_four(const void* x, void* y) {
  store_unaligned(y, load_unaligned<uint32_t>(x) ^ 0x80808080u);
}

// y[i] = x[i] with the highest bit flipped, of bytes.
template <class P, class X, class Y>
void flipped_elements(const P& p, const X* x, Y* y) {
  int32_t left = p.elements;
  for (; left >= 16; left -= 16, x += 16, y += 16) {
    flip_four(x, y);
    flip_four(x + 4, y + 4);
    flip_four(x + 8, y + 8);
    flip_four(x + 12, y + 12);
  }
  for (; left > 0; --left) *y++ = static_cast<Y>(*x++ ^ 0x80);
}

// What multipliers of pairs are for: elements of int8, and of uint8 128 less.
template <class T>
inline constexpr int32_t kCentre = static_cast<T>(-1) < 0 ? 0 : 128;
template <class T>
constexpr int32_t centred(T x) {
  return x - kCentre<T>;
}

// y = clamp((offset + a * a_multiplier / 2^8 + b * b_multiplier / 2^8) >> shift) of every pair of
// elements, int8 or centred; P has these constants, and the members that for_each_row wants. An
// element that repeats along a row is multiplied once.
template <class P, class T>
void affine_pairs(const P& p, const T* a, const T* b, T* y) {
  const auto element = [&p](int32_t sum) {
    return static_cast<T>(clamp(sum >> p.shift, p.activation_min, p.activation_max));
  };
  for_each_row(p, a, b, y, [&p, element](const T* of_a, const T* of_b, T* of_y) {
    const auto scale = [&p, element, of_y](const T* x, int32_t multiplier, int32_t fixed) {
      const int32_t offset = p.offset + fixed;
      for (int32_t i = 0; i < p.size[4]; ++i) {
        of_y[i] = element(offset + affine_product(centred(x[i]), multiplier));
      }
    };
    if (p.a_stride[4] == 0) {
      scale(of_b, p.b_multiplier, affine_product(centred(*of_a), p.a_multiplier));
    } else if (p.b_stride[4] == 0) {
      scale(of_a, p.a_multiplier, affine_product(centred(*of_b), p.b_multiplier));
    } else {
      for (int32_t i = 0; i < p.size[4]; ++i) {
        of_y[i] = element(p.offset + affine_product(centred(of_a[i]), p.a_multiplier) +
                          affine_product(centred(of_b[i]), p.b_multiplier));
      }
    }
  });
}

}  // namespace opsmith
