// ReLU, the definition (ReluX of tensorflow/lite/kernels/internal/reference/reference_ops.h).
#pragma once

#include "relu.op.h"
#include "runtimes/core/requantize.h"

namespace opsmith::relu {

template <class P>
void relu_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    out.y[i] = static_cast<int8_t>(requantize(p, in.x[i]));
  }
}

}  // namespace opsmith::relu
