// Requantisation by multipliers of 16 bits, as LiteRT does for int16 (MultiplyByQuantizedMultiplier
// of 64 bits in tensorflow/lite/kernels/internal/common.cc). Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith {

// round(sum * multiplier / 2^shift), ties up, clamped to the activation of a Shape. |sum| is below
// 2^47, shift at least 1, and the rounded number fits 32 bits.
template <class S>
constexpr int16_t narrowed(const S& s, int64_t sum, int32_t multiplier, int32_t shift) {
  const int64_t half = int64_t{1} << (shift - 1);
  const int32_t scaled = static_cast<int32_t>((sum * multiplier + half) >> shift);
  return static_cast<int16_t>(clamp(scaled, s.activation_min, s.activation_max));
}

}  // namespace opsmith
