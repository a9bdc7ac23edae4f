// Sums, products and reciprocals of positive float32 in integers, rounded to nearest, halves to
// even: for cores without an FPU, whose library takes four times the code. Floats are their bits,
// of 2^-100 to 2^100. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith::positive {

inline constexpr uint32_t kOne = 1u << 23;  // of a fraction of 24 bits, the first of which is 1

constexpr uint32_t fraction(uint32_t x) { return (x & (kOne - 1)) | kOne; }

// With a biased exponent, and a fraction that may have become 2^24.
constexpr uint32_t joined(uint32_t exponent, uint32_t fraction) {
  return (exponent << 23) + (fraction - kOne);
}

// a + b, one of which may be 0. Shared by its callers, as product is.
__attribute__((noinline)) constexpr uint32_t sum(uint32_t a, uint32_t b) {
  const uint32_t large = a > b ? a : b, small = a > b ? b : a;
  const uint32_t apart = (large >> 23) - (small >> 23), added = fraction(small) << 3;
  const uint32_t lost = apart < 27 ? added & ((1u << apart) - 1) : 1;
  uint32_t total = (fraction(large) << 3) + (apart < 27 ? added >> apart : 0);
  total |= lost != 0;
  uint32_t exponent = large >> 23;
  if (total >> 27 != 0) {
    total = (total >> 1) | (total & 1);
    ++exponent;
  }
  const uint32_t rest = total & 7, found = joined(exponent, total >> 3);
  return found + (rest > 4 || (rest == 4 && (found & 1) != 0));
}

// a * b, by halves of fractions, since Cortex-M0 multiplies words alone.
__attribute__((noinline)) constexpr uint32_t product(uint32_t a, uint32_t b) {
  const uint32_t x = fraction(a), y = fraction(b);
  const uint32_t high_x = x >> 12, low_x = x & 0xfff, high_y = y >> 12, low_y = y & 0xfff;
  const uint32_t middle = high_x * low_y + low_x * high_y;
  uint32_t low = low_x * low_y + ((middle & 0xfff) << 12);
  uint32_t high = high_x * high_y + (middle >> 12) + (low >> 24);
  uint32_t exponent = (a >> 23) + (b >> 23) - 126;
  low &= 2 * kOne - 1;
  if (high < kOne) {
    high = high << 1 | low >> 23;
    low = (low << 1) & (2 * kOne - 1);
    --exponent;
  }
  return joined(exponent, high) + (low > kOne || (low == kOne && (high & 1) != 0));
}

// 1 / x: 25 bits of a quotient, which is never half way between two floats.
constexpr uint32_t reciprocal(uint32_t x) {
  const uint32_t divisor = fraction(x);
  uint32_t rest = kOne, quotient = 0;
  for (int32_t i = 0; i < 25; ++i) {
    rest <<= 1;
    quotient <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      quotient |= 1;
    }
  }
  return joined(253 - (x >> 23), (quotient + 1) >> 1);
}

// x without what follows the point, of 1/2 to 2^23.
constexpr int32_t whole(uint32_t x) {
  return static_cast<int32_t>(fraction(x) >> (150 - (x >> 23)));
}

}  // namespace opsmith::positive
