// Needs vectors. Fast because a vector takes both polynomials of erfc, of which each lane has one.
#pragma once

#include "ops/gelu/reference.h"
#include "runtimes/simd/real_functions.h"

namespace opsmith::gelu {

template <class W, int32_t size>
[[gnu::always_inline]] inline W horner(W x, const float (&coefficients)[size]) {
  W sum = coefficients[0] - W{};
#pragma GCC unroll 8
  for (int32_t i = 1; i < size; ++i) sum = sum * x + coefficients[i];
  return sum;
}

// As short_exponential; below -104 it rounds to zero.
template <class W>
[[gnu::always_inline]] inline W short_exponentials(W x) {
  using Ints = decltype(x < x);
  constexpr float kWhole = 0x1.8p23f + 127 + 64;  // the last bits of a sum with it are an exponent
  const W powers = StepsOf<W>::rounded_down(x * 1.44269504f + 0.5f);
  // an exact product, and one that is not
  const W rest = StepsOf<W>::fused(powers, -kLog2High - W{}, x) - powers * kLog2Low;
  const W square = rest * rest;
  const W even = (square * 1.37449637e-3f + 4.16696519e-2f) * square + 0.499999881f;
  const W odd = square * 8.36894475e-3f + 0.166665182f;
  const W sum = square * (rest * odd + even) + (rest + 1.0f);
  return sum * reinterpret_cast<W>(reinterpret_cast<Ints>(powers + kWhole) << 23) * 0x1p-64f;
}

// erfc(value), as error_complement.
template <class W>
[[gnu::always_inline]] inline W error_complements(W value) {
  using Steps = StepsOf<W>;
  const W x = Steps::smaller(11.0f - W{}, Steps::larger(-11.0f - W{}, value)), square = x * x;
  const W power = short_exponentials(-square);
  const W lost = Steps::fused(x, x, -square);  // what square_remainder finds in five steps
  const W corrected = power - power * lost, inverse = 1.0f / square;
  const W ratio = horner(inverse, kAbove) / (x * horner(inverse, kBelow));
  const W beyond = corrected * ratio + (x < 0.0f ? 2.0f - W{} : W{});
  return square > 1.0f ? beyond : x * horner(square, kNear) + 1.0f;
}

template <class V, class P>
void in_vectors(const P& p, const float* from, float* y) {
  using R = opsmith::simd::Reals<V>;
  const int32_t whole = p.elements - p.elements % R::kLanes;
  opsmith::simd::of_all<V>(from, y, whole,
                           [](auto x) { return 0.5f * x * error_complements(x * -0.707106769f); });
  put_from(p, whole, from, y);
}

}  // namespace opsmith::gelu
