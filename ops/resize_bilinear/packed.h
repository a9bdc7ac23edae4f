// Needs nothing. Fast because a word has two channels, whose weighted sums one multiplication makes
// for each corner: of bytes plus 128, in units so large that sums fit 16 bits. For scales such as
// two and four.
#pragma once

#include <string.h>

#include "ops/resize_bilinear/reference.h"

namespace opsmith::resize_bilinear {

inline constexpr uint32_t kFlip = 0x80808080;  // of int8 to bytes that are 128 more
inline constexpr uint32_t kBytes = 0x00ff00ff;
inline constexpr uint32_t kOnes = 0x00010001;

// Sums of two channels: of bytes times weights, which together are 2^bits.
struct TwoSums {
  uint32_t total = 0;

  void add(uint32_t bytes, int32_t weight) {
    total += (bytes & kBytes) * static_cast<uint32_t>(weight);
  }

  // The nearest bytes. Halves go away from 128, which was zero.
  uint32_t rounded(int32_t bits) const {
    const uint32_t positive = (total >> (bits + 7)) & kOnes;
    return ((total + ((1u << bits >> 1) - 1) * kOnes + positive) >> bits) & kBytes;
  }
};

// The first `Size` channels of four, of the pixels at `low` and `high` and of those further on.
template <int32_t Size>
__attribute__((always_inline)) inline void write_channels(const int8_t* low, const int8_t* high,
                                                          int32_t further, const Weights& w,
                                                          int32_t bits, int8_t* y) {
  TwoSums even, odd;
  const auto add = [&](const int8_t* x, int32_t weight) {
    uint32_t bytes = 0;
    memcpy(&bytes, x, Size);
    bytes ^= kFlip;
    even.add(bytes, weight);
    odd.add(bytes >> 8, weight);
  };
  add(low, w.low_left);
  add(low + further, w.low_right);
  add(high, w.high_left);
  add(high + further, w.high_right);
  const uint32_t found = (even.rounded(bits) | odd.rounded(bits) << 8) ^ kFlip;
  memcpy(y, &found, Size);
}

// Writes a pixel of y. No part of the loops around it, so that its own has registers for all it
// reads.
template <class P>
__attribute__((noinline)) void write_packed(const P& p, const Corners<int8_t>& at, int32_t down,
                                            int32_t right, int8_t* y) {
  const int32_t bits = p.bits, finer = kBits - bits;
  const Weights fine = weights(down, right);
  const Weights w = {fine.low_left >> finer, fine.high_left >> finer, fine.low_right >> finer,
                     fine.high_right >> finer};
  const int8_t *low = at.low_left, *high = at.high_left;
  const int32_t further = static_cast<int32_t>(at.low_right - at.low_left);
  int32_t left = p.channels;
  for (; left >= 4; left -= 4, low += 4, high += 4, y += 4) {
    write_channels<4>(low, high, further, w, bits, y);
  }
  for (; left > 0; --left) write_channels<1>(low++, high++, further, w, bits, y++);
}

template <class P>
void packed(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const int8_t* x = in.x;
  for_each_place(p, x, static_cast<int8_t*>(out.y),
                 [&p](const Corners<int8_t>& corners, int32_t down, int32_t right, int8_t* y) {
                   write_packed(p, corners, down, right, y);
                 });
}

}  // namespace opsmith::resize_bilinear
