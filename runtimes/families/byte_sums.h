// Sums of int8 at the scale of y, as TensorFlow Lite Micro's ADD_N and CUMSUM have them.
// Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith::byte_sums {

inline constexpr int32_t kHeadroom = 19;  // bits, of halves with 20: kHeadroom of byte_sums.py

// What every sum begins with: an addend of 0 as if it were quantised.
template <class P>
constexpr int32_t first(const P& p) {
  return -p.x_zero_point;
}

// The sum of elements without their zero points, as an element of y. 32 bits wrap.
template <class P>
constexpr int8_t rescaled(const P& p, int32_t sum) {
  const int32_t lifted = shift_left(sum, kHeadroom);
  const int32_t y = multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift);
  return static_cast<int8_t>(clamp(y + p.y_zero_point, INT8_MIN, INT8_MAX));
}

}  // namespace opsmith::byte_sums
