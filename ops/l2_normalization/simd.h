// Needs vectors. Fast because quotients and the root are those of a vector.
#pragma once

#include "l2_normalization.op.h"
#include "runtimes/simd/real_functions.h"

namespace opsmith::l2_normalization {

template <class V, class P>
void in_vectors(const P& p, const float* x, float* y) {
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.depth) {
    float sum = 0;
    for (int32_t i = 0; i < p.depth; ++i) sum += x[i] * x[i];
    const auto sums = sum - typename opsmith::simd::Reals<V>::Sums{};
    const float root = square_root(sums)[0];
    const float norm = root < 1e-6f ? 1e-6f : root;
    opsmith::simd::of_all<V>(x, y, p.depth, [norm](auto each) { return each / norm; });
  }
}

}  // namespace opsmith::l2_normalization
