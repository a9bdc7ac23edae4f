// exp(x) of float32 without double precision: real_exponential.h's polynomial in fixed point, which
// takes a tenth of the time where a core computes doubles in software. `python -m
// tests.fuzz.every_float` compares all 2^32 floats. Freestanding C++17.
//
// n and r are the integer and the rest of x * 32 / ln(2), so that exp(x) is 2^(n / 32) * (1 +
// p(r)). Qn stands for an integer in units of 2^-n.
#pragma once

#include <stdint.h>

#include "runtimes/core/float_bits.h"
#include "runtimes/core/high_product.h"
#include "runtimes/core/roots_of_two.h"

namespace opsmith {

inline constexpr uint32_t kPerLn2High = 0xb8aa3b29,
                          kPerLn2Low = 0x5c17f000;  // 32 / ln(2), Q26, Q58

// The mantissas of 2^(i / 32), Q63.
struct RootMantissas {
  uint64_t of[kRootSteps] = {};

  constexpr RootMantissas() {
    for (int32_t i = 0; i < kRootSteps; ++i) of[i] = kRootsOfTwo[i] << 11 | uint64_t{1} << 63;
  }
};
inline constexpr RootMantissas kRootMantissas;

// The mantissa of a normal float, with the bit that it does not store, in the highest bits.
inline uint32_t high_mantissa(uint32_t bits) { return bits << 8 | 0x80000000u; }

// 2^(n / 32) without its integer powers of two: from 1 to 2, Q63.
inline uint64_t root_mantissa(int32_t n) { return kRootMantissas.of[n & (kRootSteps - 1)]; }

// a * b / 2^64, rounded down, perhaps by one more.
inline __attribute__((noinline)) int64_t long_high_product(int64_t a, int64_t b) {
  const uint32_t low_a = static_cast<uint32_t>(a), low_b = static_cast<uint32_t>(b);
  const int32_t high_a = static_cast<int32_t>(a >> 32), high_b = static_cast<int32_t>(b >> 32);
  const uint64_t low = static_cast<uint64_t>(low_a) * low_b;
  const int64_t first = static_cast<int64_t>(high_a) * low_b + static_cast<int64_t>(low >> 32);
  const int64_t second = static_cast<int64_t>(low_a) * high_b + static_cast<uint32_t>(first);
  return static_cast<int64_t>(high_a) * high_b + (first >> 32) + (second >> 32);
}

// The float of y, Q63 from 1 to 2, times 2^(exponent - 127), rounded to nearest: subnormal or
// infinite where it has to be. y is not in the middle between two floats.
inline float rounded_float(uint64_t y, int32_t exponent) {
  if (exponent <= 0) {
    const int32_t lost = exponent > -24 ? 1 - exponent : 25;
    y >>= lost;
    exponent = 0;
  }
  if (exponent > 254) return kInfinity;
  const uint32_t fraction = static_cast<uint32_t>(y >> 40) & 0x7fffffu;
  const uint32_t up = static_cast<uint32_t>(y >> 39) & 1;
  return float_of((static_cast<uint32_t>(exponent) << 23) + fraction + up);
}

// exp(x) in 64 bits, for all floats: about 2^-60 from the polynomial.
inline __attribute__((noinline, cold)) float long_integer_exponential(float x) {
  if (!(x > -104.0f)) return x != x ? x + x : 0.0f;
  if (x > 89.0f) return kInfinity;
  const uint32_t bits = bits_of(x), mantissa = high_mantissa(bits);
  const uint64_t low = static_cast<uint64_t>(mantissa) * kPerLn2Low;
  const uint64_t high = static_cast<uint64_t>(mantissa) * kPerLn2High + (low >> 32);
  const int32_t shift = 152 - static_cast<int32_t>(bits >> 23 & 255);
  uint64_t rest = 0;  // of |x| * 32 / ln(2), Q64
  uint32_t whole = 0;
  if (shift < 32) {
    whole = static_cast<uint32_t>(high >> 32) >> shift;
    rest = high << (32 - shift) | static_cast<uint32_t>(low) >> shift;
  } else if (shift < 96) {
    rest = high >> (shift - 32);
  }
  if (bits >> 31) {
    rest = 0 - rest;
    whole = ~whole + (rest == 0 ? 1 : 0);
  }
  const int32_t n = static_cast<int32_t>(whole + static_cast<uint32_t>(rest >> 63));
  const int64_t r = static_cast<int64_t>(rest);
  const int64_t square = 0x7aff3943eb13cc00 + (long_high_product(r, 0x71abe12e448e5000) >> 7);
  const int64_t linear = 0x58b90bfc314b5800 + (long_high_product(r, square) >> 7);
  const int64_t p = long_high_product(r, linear);  // Q68
  const uint64_t root = root_mantissa(n);
  // In doubles one float is rounded up of which the polynomial is 538 * 2^-63 below the middle.
  constexpr int64_t up = 4096;
  const int64_t more = (long_high_product(p, static_cast<int64_t>(root >> 1)) >> 3) + up;
  const uint64_t y = root + static_cast<uint64_t>(more);
  const int32_t exponent = (n >> 5) + 127;
  return y >> 63 ? rounded_float(y, exponent) : rounded_float(y << 1, exponent - 1);
}

// 2^(n / 32) * (1 + p), of exp(x) with p in Q36: where its error might decide how it is rounded, in
// 64 bits.
inline float root_times(float x, int32_t n, int32_t p) {
  const uint64_t root = root_mantissa(n);
  const int64_t more = static_cast<int64_t>(p) * static_cast<uint32_t>(root >> 32) >> 4;
  uint64_t y = root + static_cast<uint64_t>(more);
  int32_t exponent = (n >> 5) + 127;
  if (!(y >> 63)) {
    y <<= 1;
    --exponent;
  }
  const uint32_t beyond = static_cast<uint32_t>(y >> 8);  // what y has beyond a float
  if (beyond - (0x80000000u - (7u << 18)) < 11u << 18) return long_integer_exponential(x);
  const uint32_t fraction = static_cast<uint32_t>(y >> 40) & 0x7fffffu;
  return float_of((static_cast<uint32_t>(exponent) << 23) + fraction + (beyond >> 31));
}

// exp(x) in 32 bits; in 64 where they do not decide how it is rounded, about once in 1,600 floats.
inline float integer_exponential(float x) {
  const uint32_t bits = bits_of(x);
  if ((bits & 0x7fffffffu) >= 0x42ae0000u) return long_integer_exponential(x);  // 87
  const uint32_t mantissa = high_mantissa(bits);
  const uint64_t low = static_cast<uint64_t>(mantissa) * kPerLn2Low;
  const uint64_t product = static_cast<uint64_t>(mantissa) * kPerLn2High + (low >> 32);
  const uint32_t shift = 152 - (bits >> 23 & 255);
  uint64_t scaled = shift < 64 ? product >> shift : 0;  // Q32
  if (bits >> 31) scaled = 0 - scaled;
  const int32_t r = static_cast<int32_t>(static_cast<uint32_t>(scaled));
  const int32_t n = static_cast<int32_t>(static_cast<uint32_t>(scaled >> 32) +
                                         (static_cast<uint32_t>(scaled) >> 31));
  const int32_t square = 2063546692 + high_product(r, 14899138);                    // Q43
  const int32_t linear = 1488522236 + ((high_product(r, square) + (1 << 6)) >> 7);  // Q36
  const int32_t p = high_product(r, linear);
  // between 3.2 * 2^-36 below the polynomial and 1.4 * 2^-36 above it
  return root_times(x, n, p);
}

// exp(x) of cores that compute floats: as integer_exponential, and n and r by floats, exactly.
inline float single_exponential(float x) {
  if ((bits_of(x) & 0x7fffffffu) >= 0x42ae0000u) return long_integer_exponential(x);  // 87
  // 1.5 * 2^23, to which n is added: its bits are zeros from shifts by 18 to the left on.
  constexpr float whole = 12582912.0f;
  constexpr float high = 2839.0f / (1 << 17);  // of ln(2) / 32, whose rest is in Q50
  const float shifted = x * 46.1662413f + whole;
  const uint32_t n = bits_of(shifted);
  const float near = x - (shifted - whole) * high;
  const int32_t of_n = high_product(static_cast<int32_t>(n << 19), 1124006457);
  const int32_t r = static_cast<int32_t>(near * 0x1p37f) - of_n;
  const int32_t square = (1 << 30) + 0x2200 + high_product(r, 11184711);  // Q31
  const int32_t p = r + (high_product(r, high_product(r, square)) >> 4);  // Q37
  const uint64_t root = root_mantissa(static_cast<int32_t>(n));
  // Less 2^32, so that it has a sign, which p makes good.
  const int32_t more = high_product(p, static_cast<int32_t>(root >> 32)) + p;  // Q36
  uint64_t y = root + (static_cast<uint64_t>(more >> 5) << 32 | static_cast<uint32_t>(more) << 27);
  uint32_t exponent = (n >> 5 << 23) + (126u << 23);  // and one that y has
  if (__builtin_expect(!(y >> 63), 0)) {
    y <<= 1;
    exponent -= 1u << 23;
  }
  const uint32_t beyond = static_cast<uint32_t>(y >> 8);  // what y has beyond a float
  if (beyond - (0x80000000u - (5u << 18)) < 8u << 18) return long_integer_exponential(x);
  return float_of(exponent + static_cast<uint32_t>(y >> 40) + (beyond >> 31));
}

}  // namespace opsmith
