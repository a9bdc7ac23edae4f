// Integers near floats of vectors, as core/real_rounding.h has them. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_rounding.h"
#include "runtimes/simd/real_steps.h"

namespace opsmith {

// Floats from 2^23 on and NaN, of which conversions say nothing, stay.
template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W truncated(W x) {
  using Ints = decltype(x < x);
  const W whole = __builtin_convertvector(__builtin_convertvector(x, Ints), W);
  return with_sign(x, W{}) < 8388608.0f ? with_sign(whole, x) : x;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W rounded_down(W x) {
  const W whole = truncated(x);
  return whole > x ? whole - 1.0f : whole;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W rounded_up(W x) {
  const W whole = truncated(x);
  return whole < x ? whole + 1.0f : whole;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W rounded_to_even(W x) {
  const W size = with_sign(x, W{});
  const W nearest = with_sign(size + 8388608.0f - 8388608.0f, x);
  const W found = x < 0.0f ? nearest + 0.0f : nearest;  // no -0
  return size < 8388608.0f ? found : x + 0.0f;          // a signalling NaN becomes quiet
}

}  // namespace opsmith
