// Mul of int8, rescaled in single precision.
#pragma once

#include "mul.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/rounding.h"

namespace opsmith::mul {

template <class P>
void single(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int8_t a, int8_t b) {
    const int32_t product = (a - p.a_zero_point) * (b - p.b_zero_point);
    const float scaled = static_cast<float>(product) * static_cast<float>(p.factor);
    const int32_t y = round_half_even(scaled) + p.y_zero_point;
    return static_cast<int8_t>(clamp(y, p.activation_min, p.activation_max));
  });
}

}  // namespace opsmith::mul
