// A new quantisation for an element. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith {

// One element x of S's x_zero_point and scale at its y_zero_point and scale, within [y_min, y_max].
template <class S>
constexpr int32_t requantize(const S& s, int32_t x) {
  const int32_t y = multiply_by_quantized_multiplier(x - s.x_zero_point, s.multiplier, s.shift);
  return clamp(y + s.y_zero_point, s.y_min, s.y_max);
}

}  // namespace opsmith
