// How sums over time become elements of y. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith::svdf {

template <class P>
int8_t output(const P& p, uint32_t sum) {
  const int32_t scaled =
      multiply_by_quantized_multiplier(static_cast<int32_t>(sum), p.y_multiplier, p.y_shift);
  return static_cast<int8_t>(clamp(scaled + p.y_zero_point, INT8_MIN, INT8_MAX));
}

// Sums up the products of filters over time, and sets y unit by unit.
template <class P>
struct Units {
  const P& p;
  const int32_t* bias;
  int8_t* y;
  uint32_t sum = 0;
  int32_t filters = 0;  // that are in the sum

  void add(uint32_t product) {
    sum += product;
    if (++filters < p.rank) return;
    *y++ = output(p, sum + static_cast<uint32_t>(*bias++));
    sum = 0;
    filters = 0;
  }
};

}  // namespace opsmith::svdf
