// x^y of vectors of float32, with the steps of core/real_power.h, whose products are fused. Lanes
// of zeros, subnormals, infinities and NaN are taken one at a time. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_power.h"
#include "runtimes/simd/real_exponential.h"
#include "runtimes/simd/real_logarithm.h"
#include "runtimes/simd/real_rounding.h"

namespace opsmith {

// 2^(y log2(mantissa 2^powers))
template <class Steps, class D = typename Steps::Wide>
[[gnu::always_inline]] inline D raised(D mantissa, D powers, typename Steps::Longs near, D y) {
  constexpr double kShift = 0x1.8p+47;  // of a sum with it the last bits are multiples of 1 / 32
  const D r = Steps::fused(mantissa, Steps::entries(kColumns.of[0], near), -1.0 - D{});
  const D square = r * r;
  const D high = Steps::fused(0x1.27616c9496e0bp-2 - D{}, r, -0x1.71969a075c67ap-2 - D{});
  const D middle = Steps::fused(0x1.ec70a6ca7baddp-2 - D{}, r, -0x1.7154748bef6c8p-1 - D{});
  const D whole = Steps::entries(kBinaryLogarithms, near) + powers;
  const D low = Steps::fused(middle, square, Steps::fused(0x1.71547652ab82bp0 - D{}, r, whole));
  D exponent = y * Steps::fused(high, square * square, low);
  exponent = exponent > 129.0 ? 129.0 - D{} : exponent < -151.0 ? -151.0 - D{} : exponent;
  const D shifted = exponent + kShift, rest = exponent - (shifted - kShift);
  const D cubic = Steps::fused(0x1.c6af84b912394p-5 - D{}, rest, 0x1.ebfce50fac4f3p-3 - D{});
  const D linear = Steps::fused(0x1.62e42ff0c52d6p-1 - D{}, rest, 1.0 - D{});
  return Steps::fused(cubic, rest * rest, linear) * roots_of_two<Steps>(shifted);
}

// Powers of negative numbers, from those of their sizes; NaN where y is no integer.
template <class W>
W with_parity(W power, W y) {
  const W half = 0.5f * y;
  const W found = truncated(half) == half ? power : -power;
  return truncated(y) == y ? found : -kNaN - W{};
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_power(W x, W y) {
  using Steps = StepsOf<W>;
  using Ints = typename Steps::Ints;
  const auto bits = reinterpret_cast<typename Steps::Words>(with_sign(x, W{}));
  const auto from_least = bits - 0x3f330000u;  // the bits of 0.7
  typename Steps::Wide low, high, low_powers, high_powers, low_y, high_y;
  typename Steps::Longs low_near, high_near;
  Steps::widened(reinterpret_cast<W>(bits - (from_least & 0xff800000u)), low, high);
  Steps::widened(reinterpret_cast<Ints>(from_least) >> 23, low_powers, high_powers);
  Steps::widened(y, low_y, high_y);
  Steps::places(from_least >> 19, low_near, high_near);
  W found = Steps::narrowed(raised<Steps>(low, low_powers, low_near, low_y),
                            raised<Steps>(high, high_powers, high_near, high_y));
  const Ints special = reinterpret_cast<Ints>(bits - 0x00800000u >= 0x7f000000u) |
                       reinterpret_cast<Ints>(!(with_sign(y, W{}) < kInfinity));
  if (Steps::any(reinterpret_cast<Ints>(x))) {
    found = reinterpret_cast<Ints>(x) < 0 ? with_parity(found, y) : found;
  }
  if (Steps::any(special)) {
    for (uint32_t i = 0; i < sizeof(W) / sizeof(float); ++i) {
      if (special[i] != 0) found[i] = real_power(float{x[i]}, float{y[i]});
    }
  }
  return found;
}

}  // namespace opsmith
