// Rounding of floats without a math library. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith {

// The integer nearest to x, ties away from zero, as C's round(); |x| is below 2^31. It works on the
// bits of x: x + 0.5 would round twice, and a compiler may fuse an addition with the product that
// gave x.
inline int32_t round_half_away(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int32_t exponent = static_cast<int32_t>(bits >> 52 & 0x7ff) - 1023;
  if (exponent < -1) return 0;  // |x| < 0.5
  const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const int32_t fraction_bits = 52 - exponent;
  const uint64_t half = uint64_t{1} << (fraction_bits - 1);
  const int32_t magnitude = static_cast<int32_t>((significand + half) >> fraction_bits);
  return bits >> 63 != 0 ? -magnitude : magnitude;
}

// The same of a float, by its own arithmetic; |x| is below 2^31.
constexpr int32_t round_half_away(float x) {
  const int32_t whole = static_cast<int32_t>(x);
  const float rest = x - static_cast<float>(whole);
  return whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
}

// The integer nearest to x, ties to even; |x| is below 2^31. It works on the bits of x, as
// round_half_away() of a double does.
inline int32_t round_half_even(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int32_t exponent = static_cast<int32_t>(bits >> 23 & 0xff) - 127;
  if (exponent < -1) return 0;  // |x| < 0.5
  const uint32_t significand = (bits & 0x7fffff) | 0x800000;
  int32_t magnitude = 0;
  if (exponent >= 23) {
    magnitude = static_cast<int32_t>(significand << (exponent - 23));
  } else {
    const int32_t fraction_bits = 23 - exponent;
    const uint32_t odd = significand >> fraction_bits & 1;
    const uint32_t below_half = (uint32_t{1} << (fraction_bits - 1)) - 1;
    magnitude = static_cast<int32_t>((significand + below_half + odd) >> fraction_bits);
  }
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

}  // namespace opsmith
