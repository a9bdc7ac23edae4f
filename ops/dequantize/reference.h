// Dequantize, the definition (tensorflow/lite/kernels/internal/reference/integer_ops/dequantize.h).
#pragma once

#include "dequantize.op.h"
#include "runtimes/core/quantization.h"

namespace opsmith::dequantize {

template <class S>
void dequantize_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  const float scale = static_cast<float>(s.x_scale);
  for (int32_t i = 0; i < s.elements; ++i) {
    out.y[i] = real_value(in.x[i], scale, s.x_zero_point);
  }
}

}  // namespace opsmith::dequantize
