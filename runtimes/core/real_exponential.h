// exp(x) of float32, with the bits of glibc's and newlib's expf: by a table of powers of two and a
// polynomial in double precision, whose error of 2^-33 rarely matters to float. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/double_precision.h"
#include "runtimes/core/integer_exponential.h"
#include "runtimes/core/roots_of_two.h"

namespace opsmith {

// 2^(n / 32), for n that give a normal double.
inline double root_power_of_two(int32_t n) {
  const uint64_t bits = kRootsOfTwo[n & (kRootSteps - 1)] + (static_cast<uint64_t>(n >> 5) << 52);
  double power;
  __builtin_memcpy(&power, &bits, sizeof power);
  return power;
}

// exp(x) in double precision.
inline float double_exponential(float x) {
  if (!(x > -104.0f)) return x != x ? x + x : 0.0f;
  if (x > 89.0f) return __builtin_inff();
  // Of 32 / ln(2) in two parts both products are exact, so that the rest rounds once, as with FMA.
  const double high = x * 0x1.7154765p+5, low = x * 0x1.5c17fp-26;
  const double scaled = high + low;
  const int32_t nearest = static_cast<int32_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const double rest = (high - nearest) + low;
  const double cubic = 0x1.c6af84b912394p-20 * rest + 0x1.ebfce50fac4f3p-13;
  const double linear = 0x1.62e42ff0c52d6p-6 * rest + 1;
  return static_cast<float>((cubic * (rest * rest) + linear) * root_power_of_two(nearest));
}

// exp(x), whichever way is faster.
inline float real_exponential(float x) {
  if constexpr (kDoublesAreFast) return double_exponential(x);
  return kFloatsInHardware ? single_exponential(x) : integer_exponential(x);
}

}  // namespace opsmith
