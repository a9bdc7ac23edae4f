// Needs vectors. Fast because vectors add up neighbours as words, and rescale their sums.
#pragma once

#include "mean.op.h"
#include "ops/mean/scaled.h"
#include "runtimes/simd/sums.h"

namespace opsmith::mean {

// Means of a vector of sums, by the Q31 multiplier that P has.
template <class T, class P, class Words>
auto scaled_words(const P& p, Words sums, int /*unused*/) -> decltype(-p.zero_point_sum, Words{}) {
  const Words means = multiply_by_quantized_multiplier(sums, p.multiplier, p.shift);
  return clamp(means + p.output_zero_point, Limits<T>::kLow, Limits<T>::kHigh);
}

// By another rule, one by one.
template <class T, class P, class Words>
Words scaled_words(const P& p, Words sums, long /*unused*/) {
  for (int32_t j = 0; j < Words::kLanes; ++j) sums.value[j] = scaled<T>(p, sums.value[j]);
  return sums;
}

// For means along one run of axes, the last of x not among them.
template <class V, class P, class T>
void in_vectors(const P& p, const T* x, T* y) {
  opsmith::simd::sums_of_words<V>(
      p, x, y, first_sum(p, 0), [&p](auto sums) { return scaled_words<T>(p, sums, 0); },
      [&p](int32_t sum) { return scaled<T>(p, sum); });
}

}  // namespace opsmith::mean
