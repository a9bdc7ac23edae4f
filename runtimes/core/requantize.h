// A new quantisation for an element. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith {

// One element x of P's x_zero_point and scale at its y_zero_point and scale, within [y_min, y_max].
// W is int32_t, or what a core has in its place.
template <class P, class W>
constexpr W requantize(const P& p, W x) {
  const W y = multiply_by_quantized_multiplier(x - p.x_zero_point, p.multiplier, p.shift);
  return clamp(y + p.y_zero_point, p.y_min, p.y_max);
}

// multiply_by_quantized_multiplier without products of 64 bits, which some cores call a function
// for: of |x| <= 255 * 255 and shift in [-22, 0].
constexpr int32_t requantize_product(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t low = static_cast<int16_t>(multiplier);
  const int32_t high = (multiplier >> 16) + (low < 0 ? 1 : 0);
  const int32_t scaled = (x * high + ((x * low) >> 16) + (1 << 14)) >> 15;
  if (shift == 0) return scaled;
  return (scaled + (scaled >> 31) + (1 << (-shift - 1))) >> -shift;
}

}  // namespace opsmith
