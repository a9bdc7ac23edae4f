// What a channel's sums of products are requantised with, as runtimes/core/dsp_requantization.py
// packs and proves it. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// Where P's right_shift is not 0.
struct Threshold {
  int32_t multiplier;
  int32_t offset;
};

// A sum whose output the thresholds of its channel miss by one, as runtimes/core/exceptions.py
// lists them, in rising order of channels.
struct Exception {
  int32_t sum;
  int32_t rest;  // twice the channel, and 1 where the output is larger

  constexpr int32_t channel() const { return rest >> 1; }
  constexpr int32_t more() const { return (rest & 1) != 0 ? 1 : -1; }
};

// Where the product and the offset have 64 bits, as runtimes/core/long_product.py proves them.
struct LongThreshold {
  int32_t multiplier;
  uint32_t offset_low;
  int32_t offset_high;

  constexpr int64_t offset() const {
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(offset_high)) << 32 |
                                offset_low);
  }
};

// Where it is 0.
struct Rounding {
  int32_t bias;        // twice
  int32_t multiplier;  // Q31
  int32_t rest;        // 2 * zero point + 1, and the shift in the lowest five bits

  constexpr int32_t shift() const { return rest & 31; }  // to the right, at least 1
  // Half of 2^shift, and the zero point times 2^shift.
  constexpr int32_t offset() const { return (rest >> 5) * (1 << (shift() - 1)); }
};

}  // namespace opsmith
