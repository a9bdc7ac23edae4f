// Multiplication of sums by a double, rounded as in double precision: with integers alone
// where that is proved, and in double precision. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/core/rounding.h"

namespace opsmith {

// A double as runtimes/core/exact_scale.py makes it: (high * 2^32 + low) / 2^(65 + shift).
struct ExactScale {
  uint32_t low;
  uint32_t high;
  int32_t shift;
};

// round(sum * scale), ties away from zero.
constexpr int32_t scaled(int32_t sum, const ExactScale& scale) {
  const int32_t sign = sum >> 31;
  const uint32_t magnitude = static_cast<uint32_t>(sum ^ sign) - static_cast<uint32_t>(sign);
  const uint64_t carried = uint64_t{magnitude} * scale.low >> 32;
  const uint64_t product = uint64_t{magnitude} * scale.high + carried;
  const uint32_t twice = static_cast<uint32_t>(product >> 32) >> scale.shift;
  return (static_cast<int32_t>((twice + 1) >> 1) ^ sign) - sign;
}

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

}  // namespace opsmith
