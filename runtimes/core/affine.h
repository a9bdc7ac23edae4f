// Sums of products that take the place of TFLite's rescaling where toolchain/op/affine.py has
// proved them exact for every input. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith {

// x * multiplier / 2^8, rounded down, for an int8 x: two short multiplications, since cores without
// a long one would call a function for it.
constexpr int32_t affine_product(int32_t x, int32_t multiplier) {
  return x * (multiplier >> 8) + ((x * (multiplier & 255)) >> 8);
}

// y[i] = clamp((offset + x[i] * multiplier) >> shift), in rising order; S has these constants.
template <class S>
void affine_elements(const S& s, const int8_t* x, int8_t* y) {
  for (int32_t i = 0; i < s.elements; ++i) {
    const int32_t sum = x[i] * s.multiplier + s.offset;
    y[i] = static_cast<int8_t>(clamp(sum >> s.shift, s.y_min, s.y_max));
  }
}

// y = clamp((offset + a * a_multiplier / 2^8 + b * b_multiplier / 2^8) >> shift) of every pair of
// elements; S has these constants, and the members that for_each_pair wants.
template <class S>
void affine_pairs(const S& s, const int8_t* a, const int8_t* b, int8_t* y) {
  for_each_pair(s, a, b, y, [&s](int8_t of_a, int8_t of_b) {
    const int32_t sum =
        s.offset + affine_product(of_a, s.a_multiplier) + affine_product(of_b, s.b_multiplier);
    return static_cast<int8_t>(clamp(sum >> s.shift, s.activation_min, s.activation_max));
  });
}

}  // namespace opsmith
