// The logistic function of int16 from 256 samples of it, as LiteRT's kernels of logistic and tanh
// take it (sigmoid_table_uint16 of tensorflow/lite/kernels/internal/common.h). Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// x at the scale of the samples: |x| <= 2^15, a multiplier of 16 bits, ties up.
template <class P>
constexpr int32_t sample_position(const P& p, int32_t x) {
  const int32_t half = p.shift > 0 ? int32_t{1} << (p.shift - 1) : 0;
  return (x * p.multiplier + half) >> p.shift;
}

// The function at `position` / 2^bits samples after 0, times 2^(16 + bits); `most` after the last.
constexpr uint32_t sigmoid(uint32_t position, uint32_t bits, uint32_t most,
                           const uint16_t* samples) {
  const uint32_t whole = position >> bits;
  if (whole >= 255) return most;
  const uint32_t rest = position & ((uint32_t{1} << bits) - 1);
  const uint32_t value = samples[whole];
  return (value << bits) + rest * (samples[whole + 1] - value);
}

// The logistic function in Q0.15 at a position of 9 bits between samples.
constexpr int16_t logistic_at(int32_t position, const uint16_t* samples) {
  const bool negative = position < 0;
  const uint32_t size = static_cast<uint32_t>(negative ? -position : position);
  const uint32_t found = sigmoid(size, 9, 0x7fff << 10, samples);
  const uint32_t rounded = negative ? (1 << 25) - found + (1 << 9) - 1 : found + (1 << 9);
  return static_cast<int16_t>(rounded >> 10);
}

// tanh(x) = 2 logistic(2 x) - 1 in Q0.15 at a position of 8 bits.
constexpr int16_t tangent_at(int32_t position, const uint16_t* samples) {
  const bool negative = position < 0;
  const uint32_t size = static_cast<uint32_t>(negative ? -position : position);
  const uint32_t found = sigmoid(size, 8, 0xffff << 8, samples);
  const int32_t above = static_cast<int32_t>(found) - (1 << 23);
  return static_cast<int16_t>((negative ? (1 << 7) - 1 - above : above + (1 << 7)) >> 8);
}

}  // namespace opsmith
