// How the kernels of FullyConnectedI16x8 that are fast requantise. Freestanding C++17.
#pragma once

#include <string.h>

#include "runtimes/core/exact_scale.h"
#include "runtimes/core/rounding.h"

namespace opsmith::fully_connected_i16x8 {

// What a channel's sums are requantised with, where they are proved to fit 32 bits.
struct Exact {
  int32_t bias;
  ExactScale scale;
};

// The same for any sums: two numbers of 64 bits, as words.
struct Real {
  uint32_t bias[2];
  uint32_t scale[2];
};

// A sum of products as an output, before it is clamped.
constexpr int32_t requantize(int32_t sum, const Exact& channel) {
  return scaled(sum + channel.bias, channel.scale);
}

inline int32_t requantize(int64_t sum, const Real& channel) {
  int64_t bias;
  double scale;
  memcpy(&bias, channel.bias, sizeof bias);
  memcpy(&scale, channel.scale, sizeof scale);
  return round_half_away(static_cast<double>(sum + bias) * scale);
}

}  // namespace opsmith::fully_connected_i16x8
