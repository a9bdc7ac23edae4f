// PReLU, the definition: of integers as reference/prelu.h of tensorflow/lite/kernels/internal has
// it.
#pragma once

#include "prelu.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/limits.h"

namespace opsmith::prelu {

template <class P>
void reference(const P& p, const In<float, float>& in, const Out<float, float>& out) {
  for_each_pair(p, in.a, in.b, out.y, [](float a, float b) { return a >= 0.0f ? a : a * b; });
}

template <class P, class T, class B>
void reference(const P& p, const In<T, B>& in, const Out<T, B>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int32_t a, int32_t b) {
    a -= p.a_zero_point;
    b -= p.b_zero_point;
    const int32_t y =
        a < 0 ? multiply_by_quantized_multiplier(a * b, p.product_multiplier, p.product_shift)
              : multiply_by_quantized_multiplier(a, p.multiplier, p.shift);
    return static_cast<T>(clamp(y + p.y_zero_point, Limits<T>::kLow, Limits<T>::kHigh));
  });
}

}  // namespace opsmith::prelu
