// FullyConnected of float32, the definition
// (tensorflow/lite/kernels/internal/reference/fully_connected.h). Products are rounded before they
// are added: -ffp-contract=off.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::fully_connected::f32 {

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const float* x = in.x;
  float* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const float* weights = tables.weights;
    for (int32_t c = 0; c < p.channels; ++c) {
      float sum = 0;
      for (int32_t i = 0; i < p.depth; ++i) sum += x[i] * weights[i];
      *y++ = real_clamp(sum + tables.bias[c], p.real_min, p.real_max);
      weights += p.depth;
    }
    x += p.depth;
  }
}

}  // namespace opsmith::fully_connected::f32
