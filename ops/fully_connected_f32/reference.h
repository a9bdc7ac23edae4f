// FullyConnectedF32, the definition
// (tensorflow/lite/kernels/internal/reference/fully_connected.h). Products are rounded before they
// are added: -ffp-contract=off.
#pragma once

#include "fully_connected_f32.op.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::fully_connected_f32 {

template <class S>
void fully_connected_f32_reference(const S& s, const In& in, const Out& out, const Tables& tables) {
  const float* x = in.x;
  float* y = out.y;
  for (int32_t row = 0; row < s.rows; ++row) {
    const float* weights = tables.weights;
    for (int32_t c = 0; c < s.channels; ++c) {
      float sum = 0;
      for (int32_t i = 0; i < s.depth; ++i) sum += x[i] * weights[i];
      *y++ = real_clamp(sum + tables.bias[c], s.real_min, s.real_max);
      weights += s.depth;
    }
    x += s.depth;
  }
}

}  // namespace opsmith::fully_connected_f32
