// A sum without zero points as a mean, by the quotient that P has.
#pragma once

#include "runtimes/core/even_quotient.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::real_mean {

template <class P>
int8_t rounded(const P& p, int32_t sum) {
  const int32_t product = clamp(sum, -p.most, p.most) * p.numerator;
  const int32_t mean = even_quotient(product, p.denominator) + p.output_zero_point;
  return static_cast<int8_t>(clamp(mean, INT8_MIN, INT8_MAX));
}

}  // namespace opsmith::real_mean
