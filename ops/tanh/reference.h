// Tanh of int16, the definition, as reference/integer_ops/tanh.h of
// tensorflow/lite/kernels/internal has it.
#pragma once

#include "runtimes/core/sigmoid.h"
#include "runtimes/families/unary.h"
#include "tanh.op.h"

namespace opsmith::tanh {

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Samples& samples) {
  unary::of_each(p, in.x, out.y,
                 [&](int32_t x) { return tangent_at(sample_position(p, x), samples.values); });
}

}  // namespace opsmith::tanh
