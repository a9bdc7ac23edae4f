// StablehloAdd, the definition (tensorflow/lite/kernels/stablehlo_elementwise.cc).
#pragma once

#include "stablehlo_add.op.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::stablehlo_add {

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  for_each_pair(p, in.a, in.b, out.y, [](float a, float b) { return a + b; });
}

}  // namespace opsmith::stablehlo_add
