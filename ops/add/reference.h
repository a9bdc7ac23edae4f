// Add, the definition (add.h and integer_ops/add.h of
// tensorflow/lite/kernels/internal/reference).
#pragma once

#include "add.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::add {

inline constexpr int32_t kLeftShift = 20;  // headroom that both addends are scaled up by

// One element: both addends at a common scale, then their sum at the output's.
template <class P>
int8_t sum(const P& p, int8_t a, int8_t b) {
  const int32_t scaled_a = multiply_by_quantized_multiplier(
      shift_left(a - p.a_zero_point, kLeftShift), p.a_multiplier, p.a_shift);
  const int32_t scaled_b = multiply_by_quantized_multiplier(
      shift_left(b - p.b_zero_point, kLeftShift), p.b_multiplier, p.b_shift);
  const int32_t y =
      multiply_by_quantized_multiplier(scaled_a + scaled_b, p.y_multiplier, p.y_shift);
  return static_cast<int8_t>(clamp(y + p.y_zero_point, p.activation_min, p.activation_max));
}

template <class P>
void add_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int8_t a, int8_t b) { return sum(p, a, b); });
}

// Wraps, and clamps what it wrapped to.
template <class P>
void add_i32_reference(const P& p, const In<int32_t>& in, const Out<int32_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int32_t a, int32_t b) {
    const uint32_t sum = static_cast<uint32_t>(a) + static_cast<uint32_t>(b);
    return clamp(static_cast<int32_t>(sum), p.activation_min, p.activation_max);
  });
}

template <class P>
void add_f32_reference(const P& p, const In<float>& in, const Out<float>& out) {
  for_each_pair(p, in.a, in.b, out.y,
                [&p](float a, float b) { return real_clamp(a + b, p.real_min, p.real_max); });
}

}  // namespace opsmith::add
