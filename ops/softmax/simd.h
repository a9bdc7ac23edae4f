// Needs vectors. Fast because exponentials and quotients are those of a vector.
#pragma once

#include "ops/softmax/reference.h"
#include "runtimes/simd/real_functions.h"

namespace opsmith::softmax {

template <class V, class P>
void in_vectors(const P& p, const float* x, float* y) {
  const float beta = static_cast<float>(p.beta);
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.depth) {
    const float largest = largest_of(x, p.depth);
    const auto exponential = [=](auto each) { return real_exponential((each - largest) * beta); };
    opsmith::simd::of_all<V>(x, y, p.depth, exponential);
    float sum = 0;
    for (int32_t i = 0; i < p.depth; ++i) sum += y[i];
    opsmith::simd::of_all<V>(y, y, p.depth, [sum](auto each) { return each / sum; });
  }
}

}  // namespace opsmith::softmax
