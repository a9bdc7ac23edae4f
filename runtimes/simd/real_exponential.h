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

// exp(x) of any floats.
template <class W>
[[gnu::noinline]] W exact_exponentials(W x) {
  using Steps = StepsOf<W>;
  if (!Steps::any(reinterpret_cast<typename Steps::Ints>(!(x < -104.0f)))) return W{};
  typename Steps::Wide low, high;  // of -104 it is 0, of 89 infinite
  Steps::widened(Steps::smaller(89.0f - W{}, Steps::larger(-104.0f - W{}, x)), low, high);
  return Steps::narrowed(exponentials<Steps>(low), exponentials<Steps>(high));
}

// A polynomial for (exp(x) - 1 - x) / x^2, where |x| is up to log(2) / 2 / kCount, and a bound of
// the relative difference of its exponentials from those in double precision, with which no float
// gets another exponential (tests/fuzz/every_float.py).
template <int kCount>
struct Curve;
template <>
struct Curve<8> {
  static constexpr float kBound = 0x1.3bp-32f;
  static constexpr float kFactors[] = {0x1.1115cp-7f, 0x1.555cfcp-5f, 0x1.555556p-3f, 0.5f};
};
template <>
struct Curve<32> {  // of exponentials()
  static constexpr float kBound = 0x1p-36f;
  static constexpr float kFactors[] = {0x1.55548ep-3f, 0x1.000088p-1f};
};

// 2^(i / kCount), and what the logarithms of these floats lack, less the bound.
template <int kCount>
struct FloatRoots {
  float of[kCount];
  float lacking[kCount];
};
template <int kCount>
constexpr FloatRoots<kCount> float_roots() {
  FloatRoots<kCount> found = {};
  for (int i = 0; i < kCount; ++i) {
    const auto root = __builtin_bit_cast(double, kRootsOfTwo[i * (kRootSteps / kCount)]);
    found.of[i] = static_cast<float>(root);
    found.lacking[i] = static_cast<float>(root / found.of[i] - 1 - Curve<kCount>::kBound);
  }
  return found;
}
template <int kCount>
inline constexpr FloatRoots<kCount> kFloatRoots = float_roots<kCount>();

// exp(x) as the sum of two floats. Where that may round otherwise than exponentials() does, or may
// be subnormal or infinite, these decide. W is a vector of floats; floats themselves have functions
// that are no templates.
template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_exponential(W x) {
  using Steps = StepsOf<W>;
  using Ints = typename Steps::Ints;
  constexpr int kCount = Steps::kEntries;
  constexpr double kStep = 0x1.62e42fefa39efp-1 / kCount;  // log(2) / kCount
  constexpr auto kHigh = static_cast<float>(kStep), kLow = static_cast<float>(kStep - kHigh);
  constexpr float kWhole = 0x1.8p23f;  // of a sum with it the last bits are the nearest integer
  const W shifted = Steps::fused(x, static_cast<float>(1 / kStep) - W{}, kWhole - W{});
  const W n = shifted - kWhole;
  const auto place = reinterpret_cast<Ints>(shifted);
  const W root = Steps::entries(kFloatRoots<kCount>.of, place);
  const W rest = Steps::fused(n, -kHigh - W{}, x);  // exact
  const W lacking =
      Steps::fused(n, -kLow - W{}, Steps::entries(kFloatRoots<kCount>.lacking, place));
  const W sum = rest + lacking;
  W curve = Curve<kCount>::kFactors[0] - W{};
#pragma GCC unroll 4
  for (uint32_t i = 1; i < sizeof Curve<kCount>::kFactors / sizeof(float); ++i) {
    curve = Steps::fused(curve, sum, Curve<kCount>::kFactors[i] - W{});
  }
  curve = Steps::fused(sum * sum, curve, lacking);
  const W high = Steps::fused(root, rest, root);
  const W low = Steps::fused(root, curve, Steps::fused(root, rest, root - high));
  const W found = high + low;
  const W most = high + Steps::fused(root, 2 * Curve<kCount>::kBound - W{}, low);
  const Ints unsure =
      reinterpret_cast<Ints>(found != most) | reinterpret_cast<Ints>(!(with_sign(x, W{}) < 87.0f));
  if (__builtin_expect(Steps::any(unsure), false)) return exact_exponentials(x);
  const Ints exponent = (place & -kCount) * ((1 << 23) / kCount);
  return reinterpret_cast<W>(reinterpret_cast<Ints>(found) + exponent);
}

}  // namespace opsmith
