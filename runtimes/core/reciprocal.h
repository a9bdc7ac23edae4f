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
// from 48/17 - 32/17 d, where d = (1 + x) / 2 and the iterates are in Q2.29. None of them
// saturates.
constexpr int32_t reciprocal_of_one_plus(int32_t x) {
  const uint32_t half = (static_cast<uint32_t>(x) + (uint32_t{1} << 31)) >> 1;
  int32_t y = 1515870810 + doubling_high_mul(static_cast<int32_t>(half), -1010580540);
  for (int32_t i = 0; i < 3; ++i) {
    const uint32_t product = rounded_high_product(2 * half, static_cast<uint32_t>(y));
    const int32_t error = (int32_t{1} << 29) - static_cast<int32_t>(product);
    y += shift_left(rounded_high_product(y, 2 * error), 2);
  }
  return saturating_shift_left(y, 1);
}

}  // namespace opsmith
