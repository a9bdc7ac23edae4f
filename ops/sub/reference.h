// Sub, the definition (tensorflow/lite/kernels/internal/reference/sub.h).
#pragma once

#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/real_clamp.h"
#include "sub.op.h"

namespace opsmith::sub {

// Both operands at a common scale, then their difference at the output's.
template <class P, class T>
void quantized_difference(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](T a, T b) {
    const int32_t scaled_a = multiply_by_quantized_multiplier(
        shift_left(a - p.a_zero_point, p.left_shift), p.a_multiplier, p.a_shift);
    const int32_t scaled_b = multiply_by_quantized_multiplier(
        shift_left(b - p.b_zero_point, p.left_shift), p.b_multiplier, p.b_shift);
    const int32_t y =
        multiply_by_quantized_multiplier(scaled_a - scaled_b, p.y_multiplier, p.y_shift);
    return static_cast<T>(clamp(y + p.y_zero_point, p.activation_min, p.activation_max));
  });
}

template <class P>
void sub_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  quantized_difference(p, in, out);
}

template <class P>
void sub_i16_reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  quantized_difference(p, in, out);
}

// Wraps, and clamps what it wrapped to.
template <class P>
void sub_i32_reference(const P& p, const In<int32_t>& in, const Out<int32_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int32_t a, int32_t b) {
    const uint32_t difference = static_cast<uint32_t>(a) - static_cast<uint32_t>(b);
    return clamp(static_cast<int32_t>(difference), p.activation_min, p.activation_max);
  });
}

template <class P>
void sub_f32_reference(const P& p, const In<float>& in, const Out<float>& out) {
  for_each_pair(p, in.a, in.b, out.y,
                [&p](float a, float b) { return real_clamp(a - b, p.real_min, p.real_max); });
}

}  // namespace opsmith::sub
