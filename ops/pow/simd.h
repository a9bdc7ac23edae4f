// Needs vectors. Fast because logarithms, powers of two and products are those of a vector.
#pragma once

#include "ops/pow/reference.h"
#include "runtimes/simd/real_pairs.h"
#include "runtimes/simd/real_power.h"

namespace opsmith::pow {

// Products of vectors, as by_squaring(float, int32_t).
template <class V, class W, class = decltype(W{}[0])>
W squared(W base, int32_t exponent) {
  const auto product = [](W a, W b) {
    return opsmith::simd::Reals<V>::clamped(a * b, -0x1.fffffep127f, 0x1.fffffep127f);
  };
  int32_t bit = 1;
  while (bit <= exponent / 2) bit *= 2;
  W y = base;
  while ((bit /= 2) != 0) {
    y = product(y, y);
    if (exponent & bit) y = product(base, y);
  }
  return y;
}
template <class V>
float squared(float base, int32_t exponent) {
  return by_squaring(base, exponent);
}

template <class V, class P>
void in_vectors(const P& p, const float* a, const float* b, float* y) {
  const int32_t whole = p.single ? whole_exponent(b[0]) : 0;
  const auto power = [](auto x, auto z) { return real_power(x, z); };
  const auto product = [whole](auto x, auto) { return squared<V>(x, whole); };
  if (whole != 0) return opsmith::simd::real_rows<V>(p, a, b, product, y);
  opsmith::simd::real_rows<V>(p, a, b, power, y);
}

}  // namespace opsmith::pow
