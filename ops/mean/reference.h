// Mean, the definition (tensorflow/lite/kernels/internal/reference/reduce.h, QuantizedMeanOrSum).
#pragma once

#include "mean.op.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::mean {

// The sum of the elements that go into one mean; `x` is the first of them.
template <class P>
int32_t sum(const P& p, const int8_t* x) {
  int32_t total = 0;
  for (int32_t i0 = 0; i0 < p.reduced[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.reduced[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.reduced[2]; ++i2) {
        const int8_t* run =
            x + i0 * p.reduced_stride[0] + i1 * p.reduced_stride[1] + i2 * p.reduced_stride[2];
        for (int32_t i3 = 0; i3 < p.reduced[3]; ++i3) total += run[i3 * p.reduced_stride[3]];
      }
    }
  }
  return total;
}

template <class P>
void mean_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  int8_t* y = out.y;
  for (int32_t i0 = 0; i0 < p.kept[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.kept[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.kept[2]; ++i2) {
        const int8_t* x =
            in.x + i0 * p.kept_stride[0] + i1 * p.kept_stride[1] + i2 * p.kept_stride[2];
        for (int32_t i3 = 0; i3 < p.kept[3]; ++i3) {
          const int32_t total = sum(p, x + i3 * p.kept_stride[3]) - p.zero_point_sum;
          const int32_t scaled = multiply_by_quantized_multiplier(total, p.multiplier, p.shift);
          *y++ = static_cast<int8_t>(clamp(scaled + p.output_zero_point, INT8_MIN, INT8_MAX));
        }
      }
    }
  }
}

}  // namespace opsmith::mean
