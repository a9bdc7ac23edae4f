// Needs vectors. Fast because a vector of floats is computed at a time. V is the instruction set,
// such as avx2.h.
#pragma once

#include <stdint.h>

#include "runtimes/core/broadcast.h"
#include "runtimes/simd/reals.h"

namespace opsmith::simd {

// y = f(a, b), of floats or of vectors of them, for rows of neighbours or of one element.
template <class V, class P, class F>
void real_rows(const P& p, const float* a, const float* b, F f, float* y) {
  using R = Reals<V>;
  for_each_row(p, a, b, y, [&](const float* of_a, const float* of_b, float* of_y) {
    const int32_t size = p.size[4], a_stride = p.a_stride[4], b_stride = p.b_stride[4];
    const typename R::Sums one_a = R::repeated(of_a), one_b = R::repeated(of_b);
    int32_t i = 0;
    for (; i + R::kLanes <= size; i += R::kLanes) {
      const typename R::Sums x = a_stride == 0 ? one_a : R::weights(of_a + i);
      const typename R::Sums z = b_stride == 0 ? one_b : R::weights(of_b + i);
      R::store(f(x, z), of_y + i, R::kLanes);
    }
    for (; i < size; ++i) of_y[i] = f(of_a[i * a_stride], of_b[i * b_stride]);
  });
}

// y = f(a, b) within the bounds of y.
template <class V, class P, class F>
void real_pairs(const P& p, const float* a, const float* b, F f, float* y) {
  const float low = static_cast<float>(p.real_min), high = static_cast<float>(p.real_max);
  const auto within = [=](auto x, auto z) {
    if constexpr (sizeof x == sizeof(float)) {
      return real_clamp(f(x, z), low, high);
    } else {
      return Reals<V>::clamped(f(x, z), low, high);
    }
  };
  real_rows<V>(p, a, b, within, y);
}

}  // namespace opsmith::simd
