// Requantisation by multipliers of 16 bits, as LiteRT does for int16 (MultiplyByQuantizedMultiplier
// of 64 bits in tensorflow/lite/kernels/internal/common.cc). Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith {

// round(sum * multiplier / 2^shift), ties up, clamped to the activation of a Params. |sum| is below
// 2^47, shift at least 1, and the rounded number fits 32 bits.
template <class P>
constexpr int16_t narrowed(const P& p, int64_t sum, int32_t multiplier, int32_t shift) {
  const int64_t half = int64_t{1} << (shift - 1);
  const int32_t scaled = static_cast<int32_t>((sum * multiplier + half) >> shift);
  return static_cast<int16_t>(clamp(scaled, p.activation_min, p.activation_max));
}

// What a channel's sums are requantised with, as toolchain/op/narrow_requantization.py packs them.
//
// Where it proves that all sums of a layer fit 32 bits:
// round((sum + bias) * multiplier / 2^32), ties up.
struct Narrow {
  int32_t bias;
  int32_t multiplier;
};

// For any sums.
struct Wide {
  uint32_t bias_low;
  int32_t bias_high;
  int32_t multiplier;
  int32_t shift;

  constexpr int64_t bias() const {
    return static_cast<int64_t>(static_cast<uint64_t>(bias_high) << 32 | bias_low);
  }
};

template <class P>
constexpr int16_t narrowed(const P& p, int64_t sum, const Wide& channel) {
  return narrowed(p, sum + channel.bias(), channel.multiplier, channel.shift);
}

}  // namespace opsmith
