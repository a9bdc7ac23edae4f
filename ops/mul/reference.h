// Mul, the definition (mul.h and integer_ops/mul.h of
// tensorflow/lite/kernels/internal/reference).
#pragma once

#include "mul.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::mul {

// One product of quantised elements; that of 16 bits needs zero points of 0 to fit 32.
template <class P, class T>
void quantized_product(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](T a, T b) {
    const int32_t product = (a - p.a_zero_point) * (b - p.b_zero_point);
    const int32_t y = multiply_by_quantized_multiplier(product, p.multiplier, p.shift);
    return static_cast<T>(clamp(y + p.y_zero_point, p.activation_min, p.activation_max));
  });
}

template <class P>
void mul_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  quantized_product(p, in, out);
}

template <class P>
void mul_i16_reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  quantized_product(p, in, out);
}

// Wraps, and clamps what it wrapped to.
template <class P>
void mul_i32_reference(const P& p, const In<int32_t>& in, const Out<int32_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int32_t a, int32_t b) {
    const uint32_t product = static_cast<uint32_t>(a) * static_cast<uint32_t>(b);
    return clamp(static_cast<int32_t>(product), p.activation_min, p.activation_max);
  });
}

template <class P>
void mul_f32_reference(const P& p, const In<float>& in, const Out<float>& out) {
  for_each_pair(p, in.a, in.b, out.y,
                [&p](float a, float b) { return real_clamp(a * b, p.real_min, p.real_max); });
}

}  // namespace opsmith::mul
