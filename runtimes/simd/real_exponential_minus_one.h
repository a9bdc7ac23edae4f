// exp(x) - 1 and tanh(x) of vectors of float32, with the steps of
// core/real_exponential_minus_one.h. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_exponential_minus_one.h"
#include "runtimes/simd/real_steps.h"

namespace opsmith {

// exp(x) - 1 for x up to 0 or from 2 to 20: x = k log(2) + rest - lost, and exp(rest - lost) - 1 is
// rest - minus. Others of the definition's forms give the same bits, with 1 / 2^k; so do, for every
// float, fused steps, k rounded to the nearest, and the ratio without its highest power.
template <class W>
[[gnu::always_inline]] inline W power_minus_one(W x) {
  using Steps = StepsOf<W>;
  using Ints = typename Steps::Ints;
  constexpr float kWhole = 0x1.8p23f + 127;  // the last bits of a sum with it are the exponent 2^k
  const W shifted = Steps::fused(x, 0x1.715476p+0f - W{}, kWhole - W{}), k = shifted - kWhole;
  const W high = Steps::fused(k, -0x1.62e300p-1f - W{}, x);  // an exact product
  const W low = k * 0x1.2fefa2p-17f, rest = high - low, lost = (high - rest) - low;
  const W half = 0.5f * rest, square = rest * half;
  W ratio = Steps::fused(0x1.0cfca8p-18f - W{}, square, -0x1.4ce19ap-14f - W{});
  ratio = Steps::fused(ratio, square, 0x1.a01a02p-10f - W{});
  ratio = Steps::fused(ratio, square, -0x1.111112p-5f - W{});
  ratio = ratio * square + 1.0f;
  const W three = 3.0f - ratio * half;
  const W cubic = square * ((ratio - three) / (6.0f - rest * three));
  const W minus = ((rest * (cubic - lost)) - lost) - square;
  const Ints power = reinterpret_cast<Ints>(shifted) << 23,
             twice = reinterpret_cast<Ints>(k < -1.0f);
  const W before = 1.0f - reinterpret_cast<W>(((254 << 23) - power) & ~twice);
  const W after = reinterpret_cast<W>(reinterpret_cast<Ints>(-1.0f - W{}) & twice);
  return Steps::fused((rest - minus) + before, reinterpret_cast<W>(power), after);
}

// For x below 0; of others any number.
template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_exponential_minus_one(W x) {
  return power_minus_one(StepsOf<W>::smaller(W{}, StepsOf<W>::larger(-18.0f - W{}, x)));
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_hyperbolic_tangent(W x) {
  using Ints = typename StepsOf<W>::Ints;
  const W size = with_sign(x, W{});
  const auto large = size >= 1.0f;
  const W bounded = StepsOf<W>::smaller(10.0f - W{}, size);
  const W of_twice = power_minus_one(bounded * (large ? 2.0f - W{} : -2.0f - W{}));
  const W quotient = (large ? 2.0f - W{} : of_twice) / (of_twice + 2.0f);
  const W one =
      reinterpret_cast<W>(reinterpret_cast<Ints>(1.0f - W{}) & reinterpret_cast<Ints>(large));
  return with_sign(one - quotient, x);
}

}  // namespace opsmith
