// Needs vectors. Fast because a vector of elements is scaled, bounded and rounded at a time.
#pragma once

#include "ops/quantize_even/reference.h"
#include "runtimes/simd/reals.h"
#include "runtimes/simd/words.h"

namespace opsmith::quantize_even {

// A sum with this has no bits below one: adding rounds to the nearest integer, halves to even.
inline constexpr float kWhole = 1.5f * (1 << 23);

template <class V, class P>
void in_vectors(const P& p, const float* x, int8_t* y) {
  using R = opsmith::simd::Reals<V>;
  using Words = opsmith::simd::WordLanes<V>;
  const float scale = static_cast<float>(p.y_scale);
  const auto least = static_cast<float>(p.least) - typename R::Sums{};
  const auto most = static_cast<float>(p.most) - typename R::Sums{};
  const int32_t zero_point = p.y_zero_point, elements = p.elements;
  int32_t i = 0;
  for (; i + R::kLanes <= elements; i += R::kLanes) {
    const auto found = R::weights(x + i);
    auto scaled = p.multiplied ? found * scale : found / scale;
    scaled = scaled > least ? scaled : least;
    scaled = scaled > most ? most : scaled;
    const auto whole = __builtin_convertvector(scaled + kWhole - kWhole, typename Words::Lanes);
    V::put(Words{whole + zero_point}.sums(), y + i);
  }
  for (; i < elements; ++i) y[i] = element(p, x[i]);
}

}  // namespace opsmith::quantize_even
