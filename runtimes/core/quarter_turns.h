// Angles of any size as quarters of a turn, by integers. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/float_bits.h"

namespace opsmith {

// |x| / (pi / 2), modulo 4, for |x| from 2^-7 on: the nearest integer, and what is left as
// Q62. Of 2 / pi, 96 bits matter: the product with those in front is a multiple of 4, that with
// those after them is less than one of Q62. The bits begin at a byte, as glibc's do.
struct QuarterTurns {
  int32_t whole;
  int64_t fraction;

  explicit QuarterTurns(float x) {
    constexpr uint32_t two_over_pi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                        0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
    const uint32_t bits = bits_of(x);
    const uint32_t exponent = bits >> 23 & 255;
    const uint64_t significand = ((bits & 0x007fffffu) | 0x00800000u) << (exponent & 7);
    const uint32_t first = (exponent & ~7u) - 120;
    const auto word = [&](uint32_t i) {
      const uint32_t* words = two_over_pi + first / 32 + i;
      return (static_cast<uint64_t>(words[0]) << 32 | words[1]) << first % 32 >> 32;
    };
    const uint64_t product =
        (significand * word(0) << 32) + significand * word(1) + (significand * word(2) >> 32);
    whole = static_cast<int32_t>((product + (uint64_t{1} << 61)) >> 62);
    fraction = static_cast<int64_t>(product << 2) >> 2;
  }
};

}  // namespace opsmith
