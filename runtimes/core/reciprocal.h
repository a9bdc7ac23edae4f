// 1 / (1 + x) in fixed point, with the bits of gemmlowp's fixedpoint.h. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith {

// x * 2^n, saturated; n in [0, 31).
constexpr int32_t saturating_shift_left(int32_t x, int32_t n) {
  if (x > INT32_MAX >> n) return INT32_MAX;
  if (x < INT32_MIN >> n) return INT32_MIN;
  return shift_left(x, n);
}

// 1 / (1 + x) in Q0.31 for x in [0, 1) in Q0.31: three steps of Newton and Raphson
// from 48/17 - 32/17 d, where d = (1 + x) / 2 and the iterates are in Q2.29.
constexpr int32_t reciprocal_of_one_plus(int32_t x) {
  const int32_t half = static_cast<int32_t>((static_cast<int64_t>(x) + INT32_MAX + 1) / 2);
  int32_t y = 1515870810 + doubling_high_mul(half, -1010580540);
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t error = (int32_t{1} << 29) - doubling_high_mul(half, y);
    y += saturating_shift_left(doubling_high_mul(y, error), 2);
  }
  return saturating_shift_left(y, 1);
}

}  // namespace opsmith
