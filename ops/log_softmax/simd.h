// Needs vectors. Fast because exponentials are those of a vector.
#pragma once

#include "ops/log_softmax/reference.h"
#include "runtimes/simd/real_functions.h"

namespace opsmith::log_softmax {

template <class V, class P>
void in_vectors(const P& p, const float* x, float* y) {
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.depth) {
    float largest = Limits<float>::kLow, sum = 0;
    for (int32_t i = 0; i < p.depth; ++i) largest = largest < x[i] ? x[i] : largest;
    constexpr int32_t kStep = 2 * V::kLanes;  // of of_all()
    float exponentials[kStep];
    for (int32_t i = 0; i < p.depth; i += kStep) {
      const int32_t count = min(kStep, p.depth - i);
      opsmith::simd::of_all<V>(x + i, exponentials, count,
                               [=](auto each) { return real_exponential(each - largest); });
      for (int32_t j = 0; j < count; ++j) sum += exponentials[j];
    }
    const float logarithm = real_logarithm(sum);
    opsmith::simd::of_all<V>(x, y, p.depth, [=](auto each) { return each - largest - logarithm; });
  }
}

}  // namespace opsmith::log_softmax
