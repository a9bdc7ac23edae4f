// Needs vectors. Fast because vectors add up neighbours as words, and rescale their sums.
#pragma once

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/limits.h"
#include "runtimes/simd/sums.h"
#include "sum.op.h"

namespace opsmith::sum {

// For sums along one run of axes, the last of x not among them.
template <class V, class P, class T>
void in_vectors(const P& p, const T* x, T* y) {
  const auto rescaled = [&p](auto sum) {
    const auto found = multiply_by_quantized_multiplier(sum, p.multiplier, p.shift);
    return clamp(found + p.y_zero_point, Limits<T>::kLow, Limits<T>::kHigh);
  };
  opsmith::simd::sums_of_words<V>(p, x, y, -p.zero_point_sum, rescaled, [rescaled](int32_t sum) {
    return static_cast<T>(rescaled(sum));
  });
}

}  // namespace opsmith::sum
