// Logistic of int16, the definition, as reference/integer_ops/logistic.h of
// tensorflow/lite/kernels/internal has it.
#pragma once

#include "logistic.op.h"
#include "runtimes/core/sigmoid.h"
#include "runtimes/families/unary.h"

namespace opsmith::logistic {

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Samples& samples) {
  unary::of_each(p, in.x, out.y,
                 [&](int32_t x) { return logistic_at(sample_position(p, x), samples.values); });
}

}  // namespace opsmith::logistic
