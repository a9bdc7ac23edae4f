// Dequantize, the definition (tensorflow/lite/kernels/internal/reference/integer_ops/dequantize.h).
#pragma once

#include "dequantize.op.h"
#include "runtimes/core/quantization.h"

namespace opsmith::dequantize {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  const float scale = static_cast<float>(p.x_scale);
  const int32_t zero_point = p.x_zero_point, elements = p.elements;
  const T* x = in.x;
  float* y = out.y;
  for (int32_t i = 0; i < elements; ++i) y[i] = real_value(x[i], scale, zero_point);
}

}  // namespace opsmith::dequantize
