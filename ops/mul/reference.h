// Mul, the definition (mul.h and integer_ops/mul.h of
// tensorflow/lite/kernels/internal/reference).
#pragma once

#include "mul.op.h"
#include "runtimes/families/binary.h"

namespace opsmith::mul {

// A product of quantised elements; that of 16 bits needs zero points of 0 to fit 32.
template <class P, class T>
constexpr T product(const P& p, T a, T b) {
  const int32_t product = (a - p.a_zero_point) * (b - p.b_zero_point);
  const int32_t y = multiply_by_quantized_multiplier(product, p.multiplier, p.shift);
  return static_cast<T>(clamp(y + p.y_zero_point, p.activation_min, p.activation_max));
}

// Wraps, and clamps what it wrapped to.
template <class P>
constexpr int32_t product(const P& p, int32_t a, int32_t b) {
  const uint32_t product = static_cast<uint32_t>(a) * static_cast<uint32_t>(b);
  return clamp(static_cast<int32_t>(product), p.activation_min, p.activation_max);
}

template <class P>
constexpr int64_t product(const P& p, int64_t a, int64_t b) {
  const uint64_t product = static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  return binary::clamp(p, static_cast<int64_t>(product));
}

template <class P>
constexpr uint32_t product(const P&, uint32_t a, uint32_t b) {
  return a * b;
}

template <class P>
constexpr float product(const P& p, float a, float b) {
  return real_clamp(a * b, p.real_min, p.real_max);
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](T a, T b) { return product(p, a, b); });
}

}  // namespace opsmith::mul
