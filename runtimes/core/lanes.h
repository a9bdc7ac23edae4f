// Sums of four neighbouring bytes at a time, two in a word. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith {

inline constexpr int32_t kLanePixels = 256;  // words that halfwords can sum up

// Adds up to kLanePixels words of four int8. Each byte is taken plus 128, and so never borrows.
struct Lanes {
  uint32_t even = 0;  // bytes 0 and 2
  uint32_t odd = 0;   // bytes 1 and 3

  void add_word(const int8_t* x) {
    uint32_t word;
    memcpy(&word, x, sizeof word);
    word ^= 0x80808080u;
    even += word & 0x00ff00ffu;
    odd += (word >> 8) & 0x00ff00ffu;
  }

  // Adds the four sums of `words` words.
  void drain(int32_t words, int32_t (&sums)[4]) const {
    sums[0] += static_cast<int32_t>(even & 0xffff) - 128 * words;
    sums[1] += static_cast<int32_t>(odd & 0xffff) - 128 * words;
    sums[2] += static_cast<int32_t>(even >> 16) - 128 * words;
    sums[3] += static_cast<int32_t>(odd >> 16) - 128 * words;
  }
};

// round(sum / count) with ties away from zero, for a sum of `count` int8.
//
// A product with the reciprocal, which is a little too large: that takes ties away from zero, and
// no other sum across one as long as there are few.
struct Mean {
  static constexpr int32_t kBits = 23;
  static constexpr int32_t kMostPixels = 180;

  int32_t count;
  int32_t reciprocal;

  explicit Mean(int32_t pixels) : count(pixels), reciprocal((1 << kBits) / pixels + 1) {}

  int32_t operator()(int32_t sum) const {
    if (count <= kMostPixels) return (sum * reciprocal + (1 << (kBits - 1))) >> kBits;
    return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
  }
};

}  // namespace opsmith
