// Needs vectors. Fast because vectors of elements are scaled, bounded and rounded at a time, bytes
// by products instead of quotients.
#pragma once

#include "quantize.op.h"
#include "runtimes/core/quantization.h"
#include "runtimes/simd/real_steps.h"
#include "runtimes/simd/reals.h"
#include "runtimes/simd/words.h"

namespace opsmith::quantize {

// As nearest_element of runtimes/core/quantization.h, whose bounds are those of the quotient.
template <class V, class P, class Y>
[[gnu::always_inline]] inline void divide(const P& p, const float* x, Y* y) {
  using R = opsmith::simd::Reals<V>;
  using Words = opsmith::simd::WordLanes<V>;
  using Sums = typename R::Sums;
  using Steps = StepsOf<Sums>;
  constexpr float kHalf = 0.49999997f;
  const auto low = static_cast<float>(p.y_min - p.y_zero_point) - Sums{};
  const auto high = static_cast<float>(p.y_max - p.y_zero_point) - Sums{};
  const Sums quotients = R::weights(x) / static_cast<float>(p.y_scale);
  Sums scaled = Steps::smaller(Steps::larger(quotients, low), high);
  scaled += with_sign(kHalf - Sums{}, scaled);
  const Words found{__builtin_convertvector(scaled, typename Words::Lanes) + p.y_zero_point};
  V::put(found.sums(), y);
}

// Bytes of four vectors. Where quotients are bytes, products are within 2^-14 of them: false if a
// half may lie between both, or if a product is no number.
template <class V, class Y>
[[gnu::always_inline]] inline bool multiply(float inverse, int32_t zero_point, const float* x,
                                            Y* y) {
  using R = opsmith::simd::Reals<V>;
  using Sums = typename R::Sums;
  using Ints = decltype(Sums{} < Sums{});
  constexpr int32_t kFar = 0x3efff800;  // the bits of 0.5 - 2^-14
  Ints farthest = {};
  typename V::Sums found[4];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const Sums scaled = R::weights(x + j * R::kLanes) * inverse;
    const Ints nearest = StepsOf<Sums>::nearest(scaled);
    const Sums rest = scaled - __builtin_convertvector(nearest, Sums);
    const Ints distance = reinterpret_cast<Ints>(with_sign(rest, Sums{}));
    farthest = farthest > distance ? farthest : distance;
    found[j] = reinterpret_cast<typename V::Sums>(nearest);
  }
  if (StepsOf<Sums>::any(farthest > kFar)) return false;
  V::put_bytes(found, zero_point, y);
  return true;
}

template <class V, class P, class Y>
void in_vectors(const P& p, const float* x, Y* y) {
  constexpr float kLeast = 0x1p-126f;  // of normal numbers
  constexpr int32_t kStep = 4 * V::kLanes;
  const float scale = static_cast<float>(p.y_scale), inverse = 1.0f / scale;
  const bool exact = scale >= kLeast && inverse >= kLeast;
  const int32_t zero_point = p.y_zero_point, elements = p.elements;
  int32_t i = 0;
  for (; i + kStep <= elements; i += kStep) {
    if constexpr (sizeof(Y) == 1) {
      if (exact && multiply<V>(inverse, zero_point, x + i, y + i)) continue;
    }
    for (int32_t j = i; j < i + kStep; j += V::kLanes) divide<V>(p, x + j, y + j);
  }
  for (; i + V::kLanes <= elements; i += V::kLanes) divide<V>(p, x + i, y + i);
  for (; i < elements; ++i) {
    y[i] = nearest_element<Y>(x[i], scale, zero_point, p.y_min, p.y_max);
  }
}

}  // namespace opsmith::quantize
