// Sums of four neighbouring bytes at a time, two in a word. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/limits.h"
#include "runtimes/core/unaligned.h"

namespace opsmith {

inline constexpr int32_t kLanePixels = 256;  // words that halfwords can sum up

// Adds up to kLanePixels words of four bytes. int8 are taken plus 128, and so never borrow.
template <class T>
struct Lanes {
  uint32_t even = 0;  // bytes 0 and 2
  uint32_t odd = 0;   // bytes 1 and 3

  void add_four(const T* x) {
    auto word = load_unaligned<uint32_t>(x);
    if (Limits<T>::kSigned) word ^= 0x80808080u;
    even += word & 0x00ff00ffu;
    odd += (word >> 8) & 0x00ff00ffu;
  }

  // Adds the four sums of `words` words.
  void drain(int32_t words, int32_t (&sums)[4]) const {
    sums[0] += static_cast<int32_t>(even & 0xffff) + Limits<T>::kLow * words;
    sums[1] += static_cast<int32_t>(odd & 0xffff) + Limits<T>::kLow * words;
    sums[2] += static_cast<int32_t>(even >> 16) + Limits<T>::kLow * words;
    sums[3] += static_cast<int32_t>(odd >> 16) + Limits<T>::kLow * words;
  }
};

// 2^31 / pixels, a little too large: round(sum * reciprocal / 2^31) with ties up is sum / pixels
// with ties away from zero, for a sum of up to 180 int16, or of 256 bytes.
constexpr int32_t reciprocal(int32_t pixels) {
  const uint32_t more = (1u << 31) / static_cast<uint32_t>(pixels) + 1;
  return more > INT32_MAX ? INT32_MAX : static_cast<int32_t>(more);
}

// round(sum / count) with ties away from zero, for a sum of `count` bytes.
//
// A product with the reciprocal, which is a little too large: that takes ties away from zero, and
// no other sum across one as long as there are few. It fits 32 bits.
template <class T>
struct Mean {
  static constexpr int32_t kBits = 23;
  static constexpr int32_t kMostPixels = Limits<T>::kSigned ? 180 : 128;

  int32_t count;
  int32_t factor;

  explicit Mean(int32_t pixels) : count(pixels), factor((1 << kBits) / pixels + 1) {}

  int32_t operator()(int32_t sum) const {
    if (count <= kMostPixels) return (sum * factor + (1 << (kBits - 1))) >> kBits;
    return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
  }

  // The same within [low, high].
  int32_t clamped(int32_t sum, int32_t low, int32_t high) const {
    return clamp((*this)(sum), low, high);
  }
};

}  // namespace opsmith
