// Needs vectors. Fast because comparisons, exponentials and quotients are those of a vector.
#pragma once

#include "ops/softmax/reference.h"
#include "runtimes/simd/real_functions.h"

namespace opsmith::softmax {

// Of equal zeros either one: their exponentials are the same.
template <class V>
float largest_in_vectors(const float* x, int32_t depth) {
  using R = opsmith::simd::Reals<V>;
  typename R::Sums found = Limits<float>::kLow - typename R::Sums{};
  int32_t i = 0;
  for (; i + R::kLanes <= depth; i += R::kLanes) {
    const auto each = R::weights(x + i);
    found = found < each ? each : found;
  }
  float largest = largest_of(x + i, depth - i);
  for (i = 0; i < R::kLanes; ++i) largest = largest < found[i] ? found[i] : largest;
  return largest;
}

template <class V, class P>
void in_vectors(const P& p, const float* x, float* y) {
  const float beta = static_cast<float>(p.beta);
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.depth) {
    const float largest = largest_in_vectors<V>(x, p.depth);
    const auto exponential = [=](auto each) { return real_exponential((each - largest) * beta); };
    opsmith::simd::of_all<V>(x, y, p.depth, exponential);
    float sum = 0;
    for (int32_t i = 0; i < p.depth; ++i) sum += y[i];
    opsmith::simd::of_all<V>(y, y, p.depth, [sum](auto each) { return each / sum; });
  }
}

}  // namespace opsmith::softmax
