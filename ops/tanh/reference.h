// Tanh, the definition: of int16 as reference/integer_ops/tanh.h of
// tensorflow/lite/kernels/internal has it.
#pragma once

#include "runtimes/core/real_exponential_minus_one.h"
#include "runtimes/core/sigmoid.h"
#include "runtimes/families/unary.h"
#include "tanh.op.h"

namespace opsmith::tanh {

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  unary::of_each(p, in.x, out.y, real_hyperbolic_tangent);
}

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Samples& samples) {
  unary::of_each(p, in.x, out.y,
                 [&](int32_t x) { return tangent_at(sample_position(p, x), samples.values); });
}

}  // namespace opsmith::tanh
