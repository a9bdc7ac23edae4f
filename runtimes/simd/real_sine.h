// sin(x) and cos(x) of vectors of float32, with the steps of core/real_sine.h, which lanes from 120
// on take one at a time. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_sine.h"
#include "runtimes/simd/real_steps.h"

namespace opsmith {

// Sines of angles plus `more` right angles.
template <class Steps, class D = typename Steps::Wide>
[[gnu::always_inline]] inline D sines_after(D x, uint64_t more) {
  using Longs = typename Steps::Longs;
  constexpr double kWhole = 0x1.8p52;  // of a sum with it the last bits are the nearest integer
  const D shifted = Steps::fused(x, 0x1.45f306dc9c883p-1 - D{}, kWhole - D{});
  const D quadrants = shifted - kWhole;
  const D r = Steps::fused(quadrants, -0x1.68cp-39 - D{},
                           Steps::fused(quadrants, -0x1.921fb54440p+0 - D{}, x));
  const D square = r * r;
  D cosine = Steps::fused(square, 0x1.99343027bf8c3p-16 - D{}, -0x1.6c087e89a359dp-10 - D{});
  cosine = Steps::fused(square, cosine, 0x1.55553e1068f19p-5 - D{});
  cosine = Steps::fused(square, cosine, -0x1.ffffffd0c621cp-2 - D{});
  cosine = Steps::fused(square, cosine, 1.0 - D{});
  D sine = Steps::fused(square, -0x1.994eb3774cf24p-13 - D{}, 0x1.1107605230bc4p-7 - D{});
  sine = Steps::fused(square, sine, -0x1.555545995a603p-3 - D{});
  sine = Steps::fused(square, sine, 1.0 - D{}) * r;
  const Longs turns = reinterpret_cast<Longs>(shifted) + more;
  const D found = Steps::where_odd(turns, cosine, sine);
  return reinterpret_cast<D>(reinterpret_cast<Longs>(found) ^ (turns >> 1 << 63));
}

template <class W>
[[gnu::always_inline]] inline W sine_after(W x, int32_t more) {
  using Steps = StepsOf<W>;
  using Ints = typename Steps::Ints;
  typename Steps::Wide low, high;
  Steps::widened(x, low, high);
  const auto of_more = static_cast<uint64_t>(more);
  W found = Steps::narrowed(sines_after<Steps>(low, of_more), sines_after<Steps>(high, of_more));
  const Ints large = reinterpret_cast<Ints>(!(with_sign(x, W{}) < 120.0f));
  if (Steps::any(large)) {
    for (uint32_t i = 0; i < sizeof(W) / sizeof(float); ++i) {
      if (large[i] != 0) found[i] = sine_after(float{x[i]}, more);
    }
  }
  return found;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_sine(W x) {
  return sine_after(x, 0);
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_cosine(W x) {
  return sine_after(x, 1);
}

}  // namespace opsmith
