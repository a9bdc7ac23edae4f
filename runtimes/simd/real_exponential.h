// exp(x) of vectors of float32, with the steps of core/real_exponential.h. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_exponential.h"
#include "runtimes/core/roots_of_two.h"
#include "runtimes/simd/real_steps.h"

namespace opsmith {

// kRootsOfTwo, of each less what its place adds to the exponent.
struct Roots {
  uint64_t of[kRootSteps];
};
constexpr Roots roots_below_places() {
  Roots found = {};
  for (uint64_t i = 0; i < kRootSteps; ++i) found.of[i] = kRootsOfTwo[i] - (i << 47);
  return found;
}
inline constexpr Roots kRootsBelow = roots_below_places();

// 2^(n / 32), by the last bits of doubles, which are n.
template <class Steps, class D = typename Steps::Wide>
[[gnu::always_inline]] inline D roots_of_two(D shifted) {
  using Longs = typename Steps::Longs;
  const auto n = reinterpret_cast<Longs>(shifted);
  const auto roots = reinterpret_cast<Longs>(Steps::entries(kRootsBelow.of, n));
  return reinterpret_cast<D>(roots + (n << 47));
}

// exp(x) of doubles
template <class Steps, class D = typename Steps::Wide>
[[gnu::always_inline]] inline D exponentials(D x) {
  constexpr double kWhole = 0x1.8p52;  // of a sum with it the last bits are the nearest integer
  constexpr double kSteps = 0x1.71547652b82fep+5;  // 32 / ln(2)
  const D shifted = Steps::fused(x, kSteps - D{}, kWhole - D{});
  const D rest = Steps::fused(x, kSteps - D{}, kWhole - shifted);
  const D cubic = Steps::fused(0x1.c6af84b912394p-20 - D{}, rest, 0x1.ebfce50fac4f3p-13 - D{});
  const D linear = Steps::fused(0x1.62e42ff0c52d6p-6 - D{}, rest, 1.0 - D{});
  return Steps::fused(cubic, rest * rest, linear) * roots_of_two<Steps>(shifted);
}

// W is a vector of floats; floats themselves have functions that are no templates.
template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_exponential(W x) {
  using Steps = StepsOf<W>;
  typename Steps::Wide low, high;  // of -104 it is 0, of 89 infinite
  Steps::widened(Steps::smaller(89.0f - W{}, Steps::larger(-104.0f - W{}, x)), low, high);
  return Steps::narrowed(exponentials<Steps>(low), exponentials<Steps>(high));
}

}  // namespace opsmith
