// A sum of elements as a mean, by the constants that P has.
#pragma once

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/high_product.h"
#include "runtimes/core/limits.h"
#include "runtimes/core/rounding.h"

namespace opsmith::mean {

// What a sum begins with: what the zero point of x takes from it, where it is not in an offset.
template <class P>
constexpr auto first_sum(const P& p, int /*unused*/) -> decltype(-p.zero_point_sum) {
  return -p.zero_point_sum;
}
template <class P>
constexpr int32_t first_sum(const P& /*p*/, long /*unused*/) {
  return 0;
}

// By a factor and an addend in single precision, rounded to the nearest, halves to even.
template <class T, class P>
auto scaled_by(const P& p, int32_t sum, int /*unused*/) -> decltype(p.factor, T{}) {
  const float product = static_cast<float>(sum) * static_cast<float>(p.factor);
  const int32_t mean = round_half_even(product + static_cast<float>(p.addend));
  return static_cast<T>(clamp(mean, Limits<T>::kLow, Limits<T>::kHigh));
}

// By thresholds.
template <class T, class P>
auto scaled_by(const P& p, int32_t sum, int /*unused*/) -> decltype(p.right_shift, T{}) {
  return requantize_sum(p, sum, Threshold{p.multiplier, p.offset});
}

// By a Q31 multiplier, rounded twice.
template <class T, class P>
T scaled_by(const P& p, int32_t sum, long /*unused*/) {
  const int32_t mean = multiply_by_quantized_multiplier(sum, p.multiplier, p.shift);
  return static_cast<T>(clamp(mean + p.output_zero_point, Limits<T>::kLow, Limits<T>::kHigh));
}

template <class T, class P>
T scaled(const P& p, int32_t sum) {
  return scaled_by<T>(p, sum, 0);
}

}  // namespace opsmith::mean
