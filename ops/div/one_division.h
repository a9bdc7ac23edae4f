// Div of bytes. Fast because one division, which is proved for all pairs, rescales and rounds.
#pragma once

#include "ops/div/reference.h"

namespace opsmith::div {

// What rescales quotients of a node.
struct Rescaling {
  int32_t multiplier, shift;
};

// The quotient of which twice is cut to 0: 0, but where LiteRT shifts it by more bits than an
// integer has.
__attribute__((noinline)) inline int32_t small_quotient(const Rescaling& p, int32_t a, int32_t b) {
  const int32_t above = __builtin_clz(static_cast<uint32_t>(b < 0 ? -b : b));
  const int32_t headroom = a == 0 ? 31 : __builtin_clrsb(b < 0 ? -a : a);
  return headroom - above > p.shift ? rescaled_quotient(p, a, b) : 0;
}

// y = clamped(quotient) of every pair of elements.
template <class P, class T, class Clamped>
void divide(const P& p, const T* a, const T* b, T* y, Clamped clamped) {
  const int32_t offset = -p.a_zero_point * p.a_factor;
  for_each_pair(p, a, b, y, [&p, offset, clamped](int32_t of_a, int32_t of_b) {
    const int32_t divisor = of_b - p.b_zero_point;
    int32_t found = p.y_zero_point;
    if (__builtin_expect(divisor != 0, 1)) {
      const int32_t sum = of_a * p.a_factor + offset + divisor * p.b_factor;
      const int32_t quotient = sum / (divisor * (1 << p.b_shift));
      if (p.b_factor) {
        found = quotient - p.bias;
      } else if (__builtin_expect(quotient == 0, 0)) {
        found += small_quotient({p.multiplier, p.shift}, of_a - p.a_zero_point, divisor);
      } else {
        found += (quotient + 1 + (quotient >> 31)) >> 1;
      }
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
