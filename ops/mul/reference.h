// Mul, the definition (mul.h and integer_ops/mul.h of
// tensorflow/lite/kernels/internal/reference).
#pragma once

#include "mul.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::mul {

// One product of quantised elements; that of 16 bits needs zero points of 0 to fit 32.
template <class S, class T>
void quantized_product(const S& s, const In<T>& in, const Out<T>& out) {
  for_each_pair(s, in.a, in.b, out.y, [&s](T a, T b) {
    const int32_t product = (a - s.a_zero_point) * (b - s.b_zero_point);
    const int32_t y = multiply_by_quantized_multiplier(product, s.multiplier, s.shift);
    return static_cast<T>(clamp(y + s.y_zero_point, s.activation_min, s.activation_max));
  });
}

template <class S>
void mul_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  quantized_product(s, in, out);
}

template <class S>
void mul_i16_reference(const S& s, const In<int16_t>& in, const Out<int16_t>& out) {
  quantized_product(s, in, out);
}

// Wraps, and clamps what it wrapped to.
template <class S>
void mul_i32_reference(const S& s, const In<int32_t>& in, const Out<int32_t>& out) {
  for_each_pair(s, in.a, in.b, out.y, [&s](int32_t a, int32_t b) {
    const uint32_t product = static_cast<uint32_t>(a) * static_cast<uint32_t>(b);
    return clamp(static_cast<int32_t>(product), s.activation_min, s.activation_max);
  });
}

template <class S>
void mul_f32_reference(const S& s, const In<float>& in, const Out<float>& out) {
  for_each_pair(s, in.a, in.b, out.y,
                [&s](float a, float b) { return real_clamp(a * b, s.real_min, s.real_max); });
}

}  // namespace opsmith::mul
