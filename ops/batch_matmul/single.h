// BatchMatMul of int8 by the sums of reference.h and a factor in single precision.
#pragma once

#include "ops/batch_matmul/reference.h"
#include "runtimes/core/rounding.h"

namespace opsmith::batch_matmul {

template <class P>
void single(const P& p, const In<int8_t, int8_t, int8_t>& in,
            const Out<int8_t, int8_t, int8_t>& out) {
  const auto product = [&p](int32_t a, int32_t b) {
    return (a - p.a_zero_point) * (b - p.b_zero_point);
  };
  for_each_sum<int32_t>(p, in.a, in.b, out.y, product, [&p](int32_t sum) {
    const int32_t y = round_half_even(static_cast<float>(sum) * static_cast<float>(p.factor));
    return static_cast<int8_t>(clamp(y + p.y_zero_point, INT8_MIN, INT8_MAX));
  });
}

}  // namespace opsmith::batch_matmul
