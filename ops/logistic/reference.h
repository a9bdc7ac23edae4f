// Logistic, the definition: of float32 as reference/logistic.h, of int16 as
// reference/integer_ops/logistic.h of tensorflow/lite/kernels/internal has it.
#pragma once

#include "logistic.op.h"
#include "runtimes/core/real_exponential.h"
#include "runtimes/core/sigmoid.h"
#include "runtimes/families/unary.h"

namespace opsmith::logistic {

inline float of_float(float x) {
  if (x > 16.619047164916992f) return 1.0f;
  if (x < -9.0f) return real_exponential(x);
  return 1.0f / (1.0f + real_exponential(-x));
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  unary::of_each(p, in.x, out.y, of_float);
}

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Samples& samples) {
  unary::of_each(p, in.x, out.y,
                 [&](int32_t x) { return logistic_at(sample_position(p, x), samples.values); });
}

}  // namespace opsmith::logistic
