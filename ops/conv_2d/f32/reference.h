// Conv2D of float32, the definition (tensorflow/lite/kernels/internal/reference/conv.h).
// Products are rounded before they are added: -ffp-contract=off.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/families/convolution.h"

namespace opsmith::conv_2d::f32 {

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const auto product = [](float x, float w) { return x * w; };
  outputs_of_windows<float>(p, in.x, tables.filter, out.y, product, [&](float sum, int32_t c) {
    return real_clamp(sum + tables.bias[c], p.real_min, p.real_max);
  });
}

}  // namespace opsmith::conv_2d::f32
