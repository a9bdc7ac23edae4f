// Div of bytes. Fast because one division, which is proved for all pairs, rescales and rounds.
#pragma once

#include "div.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::div {

// y = clamped(quotient) of every pair of elements.
template <class P, class T, class Clamped>
void divide(const P& p, const T* a, const T* b, T* y, Clamped clamped) {
  const int32_t offset = -p.a_zero_point * p.a_factor;
  for_each_pair(p, a, b, y, [&p, offset, clamped](int32_t of_a, int32_t of_b) {
    const int32_t divisor = of_b - p.b_zero_point;
    int32_t found = p.y_zero_point;
    if (__builtin_expect(divisor != 0, 1)) {
      const int32_t sum = of_a * p.a_factor + offset + divisor * p.b_factor;
      found = sum / (divisor * (1 << p.shift)) - p.bias;
    }
    return static_cast<T>(clamped(found));
  });
}

template <class P, class T>
void one_division(const P& p, const In<T>& in, const Out<T>& out) {
  divide(p, in.a, in.b, out.y,
         [&p](int32_t y) { return clamp(y, p.activation_min, p.activation_max); });
}

}  // namespace opsmith::div
