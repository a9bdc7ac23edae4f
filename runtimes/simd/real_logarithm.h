// log(x) of vectors of float32, with the steps of core/real_logarithm.h. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_logarithm.h"
#include "runtimes/simd/real_steps.h"

namespace opsmith {

// Both columns of kLogarithms.
struct Columns {
  double of[2][16];
};
constexpr Columns columns_of_logarithms() {
  Columns found = {};
  for (int i = 0; i < 16; ++i) {
    found.of[0][i] = kLogarithms[i].reciprocal;
    found.of[1][i] = kLogarithms[i].logarithm;
  }
  return found;
}
inline constexpr Columns kColumns = columns_of_logarithms();

// log(x) of mantissas, and powers of two, with reciprocals and logarithms of kLogarithms.
template <class Steps, class D = typename Steps::Wide>
[[gnu::always_inline]] inline D logarithms(D mantissa, D powers, const D (&near)[2]) {
  const D r = Steps::fused(mantissa, near[0], -1.0 - D{});
  const D power = Steps::fused(powers, 0x1.62e42fefa39efp-1 - D{}, near[1]);
  const D low = Steps::fused(0x1.5575b0be00b6ap-2 - D{}, r, -0x1.ffffef20a4123p-2 - D{});
  const D square = r * r, high = Steps::fused(-0x1.00ea348b88334p-2 - D{}, square, low);
  return Steps::fused(high, square, power + r);
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_logarithm(W x) {
  using Steps = StepsOf<W>;
  using Ints = typename Steps::Ints;
  using Words = typename Steps::Words;
  auto bits = reinterpret_cast<Words>(x);
  const bool special = Steps::any(reinterpret_cast<Ints>(bits - 0x00800000u >= 0x7f000000u));
  if (special) {  // subnormals become normal
    const Words scaled = reinterpret_cast<Words>(x * 0x1p23f) - (uint32_t{23} << 23);
    bits = x < 0x1p-126f ? scaled : bits;
  }
  const Words from_least = bits - 0x3f330000u;  // the bits of 0.7
  typename Steps::Wide low, high, low_powers, high_powers, low_near[2], high_near[2];
  Steps::widened(reinterpret_cast<W>(bits - (from_least & 0xff800000u)), low, high);
  Steps::widened(reinterpret_cast<Ints>(from_least) >> 23, low_powers, high_powers);
  Steps::members(kLogarithms, kColumns, from_least >> 19, low_near, high_near);
  const W found = Steps::narrowed(logarithms<Steps>(low, low_powers, low_near),
                                  logarithms<Steps>(high, high_powers, high_near));
  if (!special) return found;
  const W infinite = __builtin_inff() - W{};
  const W of_others = x < 0.0f ? -__builtin_nanf("") - W{} : x == 0.0f ? -infinite : x + x;
  return x > 0.0f && x != infinite ? found : of_others;
}

}  // namespace opsmith
