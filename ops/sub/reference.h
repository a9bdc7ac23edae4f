// Sub, the definition (tensorflow/lite/kernels/internal/reference/sub.h).
#pragma once

#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/real_clamp.h"
#include "sub.op.h"

namespace opsmith::sub {

// Both operands at a common scale, then their difference at the output's.
template <class S, class T>
void quantized_difference(const S& s, const In<T>& in, const Out<T>& out) {
  for_each_pair(s, in.a, in.b, out.y, [&s](T a, T b) {
    const int32_t scaled_a = multiply_by_quantized_multiplier(
        shift_left(a - s.a_zero_point, s.left_shift), s.a_multiplier, s.a_shift);
    const int32_t scaled_b = multiply_by_quantized_multiplier(
        shift_left(b - s.b_zero_point, s.left_shift), s.b_multiplier, s.b_shift);
    const int32_t y =
        multiply_by_quantized_multiplier(scaled_a - scaled_b, s.y_multiplier, s.y_shift);
    return static_cast<T>(clamp(y + s.y_zero_point, s.activation_min, s.activation_max));
  });
}

template <class S>
void sub_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  quantized_difference(s, in, out);
}

template <class S>
void sub_i16_reference(const S& s, const In<int16_t>& in, const Out<int16_t>& out) {
  quantized_difference(s, in, out);
}

// Wraps, and clamps what it wrapped to.
template <class S>
void sub_i32_reference(const S& s, const In<int32_t>& in, const Out<int32_t>& out) {
  for_each_pair(s, in.a, in.b, out.y, [&s](int32_t a, int32_t b) {
    const uint32_t difference = static_cast<uint32_t>(a) - static_cast<uint32_t>(b);
    return clamp(static_cast<int32_t>(difference), s.activation_min, s.activation_max);
  });
}

template <class S>
void sub_f32_reference(const S& s, const In<float>& in, const Out<float>& out) {
  for_each_pair(s, in.a, in.b, out.y,
                [&s](float a, float b) { return real_clamp(a - b, s.real_min, s.real_max); });
}

}  // namespace opsmith::sub
