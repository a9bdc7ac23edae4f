// Div, the definition (tensorflow/lite/kernels/internal/reference/div.h).
#pragma once

#include "div.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/core/reciprocal.h"

namespace opsmith::div {

// Two quotients are undefined in C++: that by 0, here 0, and -2^31 / -1, which saturates.
constexpr int32_t quotient(int32_t a, int32_t b) {
  if (b == 0) return 0;
  return a == INT32_MIN && b == -1 ? INT32_MAX : a / b;
}

// x / 2^exponent, rounded; bits that C++ does not define, beyond 31, are as x86-64 has them.
constexpr int32_t shifted(int32_t x, int32_t exponent) {
  const int32_t mask = static_cast<int32_t>((uint64_t{1} << (exponent & 63)) - 1);
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> (exponent & 31)) + ((x & mask) > threshold ? 1 : 0);
}

// a / b at the scale of y, where b is not 0: a with as many bits as it can have, times 1 / b.
template <class P>
int32_t rescaled_quotient(const P& p, int32_t a, int32_t b) {
  if (b < 0) {
    a = -a;
    b = -b;
  }
  const int32_t above = __builtin_clz(static_cast<uint32_t>(b));
  const int32_t one_and_more = static_cast<int32_t>(static_cast<uint32_t>(b) << above);
  const int32_t inverse = reciprocal_of_one_plus(one_and_more & INT32_MAX);
  const int32_t headroom = a == 0 ? 31 : __builtin_clrsb(a);
  const int32_t unscaled = doubling_high_mul(shift_left(a, headroom), inverse);
  return shifted(doubling_high_mul(unscaled, p.multiplier), 31 - above + headroom - p.shift);
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int32_t a, int32_t b) {
    a -= p.a_zero_point;
    b -= p.b_zero_point;
    const int32_t y = b == 0 ? 0 : rescaled_quotient(p, a, b);
    return static_cast<T>(clamp(y + p.y_zero_point, p.activation_min, p.activation_max));
  });
}

template <class P>
void reference(const P& p, const In<int32_t>& in, const Out<int32_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int32_t a, int32_t b) {
    return clamp(quotient(a, b), p.activation_min, p.activation_max);
  });
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  for_each_pair(p, in.a, in.b, out.y,
                [&p](float a, float b) { return real_clamp(a / b, p.real_min, p.real_max); });
}

}  // namespace opsmith::div
