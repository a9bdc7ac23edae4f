// Dequantize, the definition (tensorflow/lite/kernels/internal/reference/integer_ops/dequantize.h).
#pragma once

#include "dequantize.op.h"
#include "runtimes/core/quantization.h"

namespace opsmith::dequantize {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  const float scale = static_cast<float>(p.x_scale);
  for (int32_t i = 0; i < p.elements; ++i) {
    out.y[i] = real_value(in.x[i], scale, p.x_zero_point);
  }
}

}  // namespace opsmith::dequantize
