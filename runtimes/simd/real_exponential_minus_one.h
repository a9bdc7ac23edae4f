// exp(x) - 1 and tanh(x) of vectors of float32, with the steps of
// core/real_exponential_minus_one.h. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_exponential_minus_one.h"
#include "runtimes/simd/real_steps.h"

namespace opsmith {

// exp(x) - 1 for x up to 0 or from 2 to 20: x = k log(2) + rest - lost, and exp(rest - lost) - 1 is
// rest - minus. Others of the definition's forms give the same bits, with 1 / 2^k.
template <class W>
[[gnu::always_inline]] inline W power_minus_one(W x, W half_of_sign) {
  using Steps = StepsOf<W>;
  using Ints = typename Steps::Ints;
  const Ints k = __builtin_convertvector(0x1.715476p+0f * x + half_of_sign, Ints);
  const W powers = __builtin_convertvector(k, W);
  const W high = Steps::fused(powers, -0x1.62e300p-1f - W{}, x);  // an exact product
  const W low = powers * 0x1.2fefa2p-17f, rest = high - low, lost = (high - rest) - low;
  const W half = 0.5f * rest, square = rest * half;
  W ratio = -0x1.afdb76p-23f * square + 0x1.0cfca8p-18f;
  ratio = ratio * square + -0x1.4ce19ap-14f;
  ratio = ratio * square + 0x1.a01a02p-10f;
  ratio = ratio * square + -0x1.111112p-5f;
  ratio = ratio * square + 1.0f;
  const W three = 3.0f - ratio * half;
  const W cubic = square * ((ratio - three) / (6.0f - rest * three));
  const W minus = ((rest * (cubic - lost)) - lost) - square;
  W before = 1.0f - reinterpret_cast<W>((127 - k) << 23);
  before = k == -1 ? -1.0f - W{} : k < 0 ? 1.0f - W{} : before;
  const W scaled = ((rest - minus) + before) * reinterpret_cast<W>((k + 127) << 23);
  return k < -1 ? scaled - 1.0f : scaled;
}

// For x below 0; of others any number.
template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_exponential_minus_one(W x) {
  const W bounded = StepsOf<W>::smaller(W{}, StepsOf<W>::larger(-18.0f - W{}, x));
  return power_minus_one(bounded, -0.5f - W{});
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_hyperbolic_tangent(W x) {
  const W size = with_sign(x, W{});
  const auto large = size >= 1.0f;
  const W twice = StepsOf<W>::smaller(10.0f - W{}, size) * 2.0f;
  const W of_twice = power_minus_one(large ? twice : -twice, large ? 0.5f - W{} : -0.5f - W{});
  const W quotient = (large ? 2.0f - W{} : -of_twice) / (of_twice + 2.0f);
  return with_sign(large ? 1.0f - quotient : quotient, x);
}

}  // namespace opsmith
