// Needs vectors. Fast because a vector of elements is divided, bounded and rounded at a time.
#pragma once

#include "quantize.op.h"
#include "runtimes/core/quantization.h"
#include "runtimes/simd/real_steps.h"
#include "runtimes/simd/reals.h"
#include "runtimes/simd/words.h"

namespace opsmith::quantize {

// As nearest_element of runtimes/core/quantization.h, whose bounds are those of the quotient.
template <class V, class P, class Y>
void in_vectors(const P& p, const float* x, Y* y) {
  using R = opsmith::simd::Reals<V>;
  using Words = opsmith::simd::WordLanes<V>;
  using Sums = typename R::Sums;
  using Steps = StepsOf<Sums>;
  constexpr float kHalf = 0.49999997f;
  const float scale = static_cast<float>(p.y_scale);
  const int32_t zero_point = p.y_zero_point, elements = p.elements;
  const auto low = static_cast<float>(p.y_min - zero_point) - Sums{};
  const auto high = static_cast<float>(p.y_max - zero_point) - Sums{};
  int32_t i = 0;
  for (; i + R::kLanes <= elements; i += R::kLanes) {
    Sums scaled = Steps::smaller(Steps::larger(R::weights(x + i) / scale, low), high);
    scaled += with_sign(kHalf - Sums{}, scaled);
    const Words found{__builtin_convertvector(scaled, typename Words::Lanes) + zero_point};
    V::put(found.sums(), y + i);
  }
  for (; i < elements; ++i) {
    y[i] = nearest_element<Y>(x[i], scale, zero_point, p.y_min, p.y_max);
  }
}

}  // namespace opsmith::quantize
