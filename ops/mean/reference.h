// Mean, the definition (tensorflow/lite/kernels/internal/reference/reduce.h, QuantizedMeanOrSum).
#pragma once

#include "mean.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/families/reduction.h"

namespace opsmith::mean {

// One mean; `x` is the first of its elements.
template <class P>
int8_t mean(const P& p, const int8_t* x) {
  int32_t sum = 0;
  reduction::for_each_reduced(p, x, [&sum](int32_t element) { sum += element; });
  const int32_t lifted = sum - p.zero_point_sum;
  const int32_t scaled = multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift);
  return static_cast<int8_t>(clamp(scaled + p.output_zero_point, INT8_MIN, INT8_MAX));
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  reduction::for_each_row(p, in.x, out.y, [&p](const int8_t* x, int8_t* y) {
    for (int32_t i = 0; i < p.kept[3]; ++i) *y++ = mean(p, x + i * p.kept_stride[3]);
  });
}

}  // namespace opsmith::mean
