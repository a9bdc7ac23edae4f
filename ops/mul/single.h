// Mul of int8 in single precision: products are rescaled, or values of one tensor squared.
#pragma once

#include "mul.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/rounding.h"

namespace opsmith::mul {

// The square of a value, at the scale of y.
template <class P>
int32_t squared(const P& p, int8_t a) {
  const float value = static_cast<float>(a - p.a_zero_point) * static_cast<float>(p.a_scale);
  const float square = value * value * static_cast<float>(p.inverse);
  const float y = square + static_cast<float>(p.y_zero_point);
  return round_half_even(y < 256.0f ? y : 256.0f);
}

template <class P>
void single(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int8_t a, int8_t b) {
    const int32_t product = (a - p.a_zero_point) * (b - p.b_zero_point);
    const float scaled = static_cast<float>(product) * static_cast<float>(p.factor);
    const int32_t y = p.squares ? squared(p, a) : round_half_even(scaled) + p.y_zero_point;
    return static_cast<int8_t>(clamp(y, p.activation_min, p.activation_max));
  });
}

}  // namespace opsmith::mul
