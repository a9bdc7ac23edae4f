// Add, the definition (TFLite: kernels/internal/reference/integer_ops/add.h, AddElementwise).
// AddElementwise).
#pragma once

#include "add.op.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::add {

inline constexpr int32_t kLeftShift = 20;  // headroom that both addends are scaled up by

// One element: both addends at a common scale, then their sum at the output's.
template <class S>
int8_t sum(const S& s, int8_t a, int8_t b) {
  const int32_t scaled_a = multiply_by_quantized_multiplier(
      shift_left(a - s.a_zero_point, kLeftShift), s.a_multiplier, s.a_shift);
  const int32_t scaled_b = multiply_by_quantized_multiplier(
      shift_left(b - s.b_zero_point, kLeftShift), s.b_multiplier, s.b_shift);
  const int32_t y =
      multiply_by_quantized_multiplier(scaled_a + scaled_b, s.y_multiplier, s.y_shift);
  return static_cast<int8_t>(clamp(y + s.y_zero_point, s.activation_min, s.activation_max));
}

template <class S>
void add_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  int8_t* y = out.y;
  for (int32_t i0 = 0; i0 < s.size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < s.size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < s.size[2]; ++i2) {
        for (int32_t i3 = 0; i3 < s.size[3]; ++i3) {
          const int8_t* a = in.a + i0 * s.a_stride[0] + i1 * s.a_stride[1] + i2 * s.a_stride[2] +
                            i3 * s.a_stride[3];
          const int8_t* b = in.b + i0 * s.b_stride[0] + i1 * s.b_stride[1] + i2 * s.b_stride[2] +
                            i3 * s.b_stride[3];
          for (int32_t i4 = 0; i4 < s.size[4]; ++i4) {
            *y++ = sum(s, *a, *b);
            a += s.a_stride[4];
            b += s.b_stride[4];
          }
        }
      }
    }
  }
}

}  // namespace opsmith::add
