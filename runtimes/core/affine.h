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

// y[i] = clamp((offset + x[i] * multiplier) >> shift), in rising order; P has these constants.
template <class P>
void affine_elements(const P& p, const int8_t* x, int8_t* y) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const int32_t sum = x[i] * p.multiplier + p.offset;
    y[i] = static_cast<int8_t>(clamp(sum >> p.shift, p.y_min, p.y_max));
  }
}

// y = clamp((offset + a * a_multiplier / 2^8 + b * b_multiplier / 2^8) >> shift) of every pair of
// elements; P has these constants, and the members that for_each_pair wants.
template <class P>
void affine_pairs(const P& p, const int8_t* a, const int8_t* b, int8_t* y) {
  for_each_pair(p, a, b, y, [&p](int8_t of_a, int8_t of_b) {
    const int32_t sum =
        p.offset + affine_product(of_a, p.a_multiplier) + affine_product(of_b, p.b_multiplier);
    return static_cast<int8_t>(clamp(sum >> p.shift, p.activation_min, p.activation_max));
  });
}

}  // namespace opsmith
