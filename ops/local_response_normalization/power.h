// x^-beta of double precision as float32, by integers of 64 bits: exp2(-beta * log2(x)) within
// 2^-53 of itself, so that one float of 2^28 or more may be the next to that which LiteRT makes of
// pow(), an error of its own included. Fractions are of 2^64. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/core/float_bits.h"

namespace opsmith::local_response_normalization {

inline constexpr int32_t kParts = 32;                      // of [1, 2), and of [0, 1)
inline constexpr int32_t kLast = 13, kRoots = 8;           // terms of logarithms, and of powers
inline constexpr uint64_t kLog2 = 0xb17217f7d1cf79abu;     // ln(2)
inline constexpr uint64_t kPerLog2 = 0xb8aa3b295c17f0bbu;  // half of 1 / ln(2)

// a * b / 2^64, rounded down.
constexpr uint64_t high_product(uint64_t a, uint64_t b) {
  const uint64_t low_a = a & 0xffffffffu, high_a = a >> 32;
  const uint64_t low_b = b & 0xffffffffu, high_b = b >> 32;
  const uint64_t first = high_a * low_b + (low_a * low_b >> 32);
  const uint64_t second = low_a * high_b + (first & 0xffffffffu);
  return high_a * high_b + (first >> 32) + (second >> 32);
}

struct PowerTables {
  uint16_t reciprocals[kParts];  // 512 / (1 + i / 32), rounded up
  uint64_t logarithms[kParts];   // log2 of 512 over the reciprocal
  uint64_t roots[kParts];        // half of 2^(i / 32)
  uint64_t inverses[kLast + 1];  // 1 / i
  uint64_t factorials[21];       // 1 / i!
};

// e^z - 1, of terms up to z^last.
constexpr uint64_t exponential_minus_one(const PowerTables& t, uint64_t z, int32_t last) {
  uint64_t sum = t.factorials[last];
  for (int32_t k = last - 1; k >= 2; --k) sum = t.factorials[k] + high_product(z, sum);
  return z + high_product(z, high_product(z, sum));
}

constexpr PowerTables power_tables() {
  PowerTables t = {};
  t.factorials[2] = uint64_t{1} << 63;
  for (uint64_t i = 3; i <= 20; ++i) t.factorials[i] = t.factorials[i - 1] / i;
  for (uint64_t i = 2; i <= kLast; ++i) t.inverses[i] = UINT64_MAX / i;
  for (uint64_t i = 0; i < kParts; ++i) {
    const uint64_t one = uint64_t{1} << 63, c = (512 * kParts + kParts + i - 1) / (kParts + i);
    t.reciprocals[i] = static_cast<uint16_t>(c);
    uint64_t x = (one / c << 9) + ((one % c << 9) / c);  // halves of 512 / c, squared bit by bit
    for (int32_t bit = 63; bit >= 0; --bit) {
      x = high_product(x, x);
      t.logarithms[i] |= x >> 63 << bit;
      if (x < one) x *= 2;
    }
    t.roots[i] = one + exponential_minus_one(t, kLog2 / kParts * i, 20) / 2;
  }
  return t;
}

inline constexpr PowerTables kPowers = power_tables();

struct Fixed {
  int64_t whole;
  uint64_t fraction;
};

// log2 of a positive finite number, which is none of the subnormal ones.
inline Fixed binary_logarithm(uint64_t bits) {
  const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const int32_t i = static_cast<int32_t>(mantissa >> 47) - kParts;
  const uint64_t r = (mantissa * kPowers.reciprocals[i] - (uint64_t{1} << 61)) << 3;
  uint64_t sum = kPowers.inverses[kLast];
  for (int32_t k = kLast - 1; k >= 2; --k) sum = kPowers.inverses[k] - high_product(r, sum);
  const uint64_t natural = r - high_product(r, high_product(r, sum));
  const uint64_t low = high_product(natural, kPerLog2) * 2;
  return {static_cast<int64_t>(bits >> 52) - 1023, kPowers.logarithms[i] + low};
}

// The number times mantissa * 2^(shift - 24), for shifts from -15 to 8.
inline Fixed product(const Fixed& number, int32_t mantissa, int32_t shift) {
  const int64_t wholes = number.whole * mantissa;
  const uint64_t more = high_product(static_cast<uint64_t>(mantissa) << 40, number.fraction);
  const uint64_t fraction = (static_cast<uint64_t>(wholes) << 40) + more;
  const int64_t whole = (wholes >> 24) + (fraction < more);
  if (shift > 0) {
    return {whole * (1 << shift) + static_cast<int64_t>(fraction >> (64 - shift)),
            fraction << shift};
  }
  if (shift == 0) return {whole, fraction};
  return {whole >> -shift, fraction >> -shift | static_cast<uint64_t>(whole) << (64 + shift)};
}

// 2^-x, rounded to float32.
inline float power_of_half(const Fixed& x) {
  const int64_t exponent = -x.whole - (x.fraction != 0);
  if (exponent > 127) return kInfinity;
  if (exponent < -150) return 0.0f;
  const uint64_t rest = -x.fraction, root = kPowers.roots[rest >> 59];
  const uint64_t z = high_product(rest & ((uint64_t{1} << 59) - 1), kLog2);
  const uint64_t found = root + high_product(root, exponential_minus_one(kPowers, z, kRoots));
  const int32_t power = static_cast<int32_t>(exponent);
  const int32_t right = power < -126 ? -86 - power : 40;  // at most 64
  const uint64_t last = found >> (right - 1);
  const uint32_t mantissa = static_cast<uint32_t>((last >> 1) + (last & 1));
  return float_of(mantissa + (static_cast<uint32_t>(power < -126 ? 0 : power + 126) << 23));
}

// x^(-mantissa * 2^(shift - 24)), of x that is not negative.
inline float negative_power(double x, int32_t mantissa, int32_t shift) {
  if (x == 0.0) return kInfinity;
  if (x != x) return static_cast<float>(x);
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (bits >> 52 == 2047) return 0.0f;
  return power_of_half(product(binary_logarithm(bits), mantissa, shift));
}

}  // namespace opsmith::local_response_normalization
