// LocalResponseNormalization, the definition: reference_ops.h of tensorflow/lite/kernels/internal,
// with windows as in TensorFlow.
#pragma once

#include "local_response_normalization.op.h"
#include "ops/local_response_normalization/power.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::local_response_normalization {

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  const float* x = in.x;
  float* y = out.y;
  const double bias = p.bias, alpha = p.alpha;
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.depth) {
    for (int32_t c = 0; c < p.depth; ++c) {
      const int32_t end = min(p.depth, c + p.radius + 1);
      float sum = 0;
      for (int32_t i = max(0, c - p.radius); i < end; ++i) sum += x[i] * x[i];
      const double base = alpha * static_cast<double>(sum) + bias;
      y[c] = x[c] * negative_power(base, p.mantissa, p.shift);
    }
  }
}

}  // namespace opsmith::local_response_normalization
