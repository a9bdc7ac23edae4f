// Elements as words: functions of families, which are written for int32_t, of a vector of elements
// at a time. V is the instruction set, such as avx2.h. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/broadcast.h"

namespace opsmith::simd {

// What functions take in place of int32_t. Those of its own are found by their arguments.
template <class V>
struct WordLanes {
  static constexpr int32_t kLanes = V::kLanes;
  using Lanes [[gnu::vector_size(4 * V::kLanes)]] = int32_t;
  Lanes value;

  static WordLanes of(typename V::Sums x) { return {reinterpret_cast<Lanes>(x)}; }
  static WordLanes repeated(int32_t x) { return {Lanes{} + x}; }
  typename V::Sums sums() const { return reinterpret_cast<typename V::Sums>(value); }

  friend WordLanes operator+(WordLanes a, WordLanes b) { return {a.value + b.value}; }
  friend WordLanes operator-(WordLanes a, WordLanes b) { return {a.value - b.value}; }
  friend WordLanes operator*(WordLanes a, WordLanes b) { return {a.value * b.value}; }
  friend WordLanes operator*(WordLanes a, int32_t b) { return {a.value * b}; }
  friend WordLanes operator>>(WordLanes a, int32_t n) { return {a.value >> n}; }
  friend WordLanes operator+(WordLanes a, int32_t b) { return {a.value + b}; }
  friend WordLanes operator-(WordLanes a, int32_t b) { return {a.value - b}; }

  friend WordLanes shift_left(WordLanes x, int32_t n) { return {x.value << n}; }

  friend WordLanes rounding_divide_by_pot(WordLanes x, int32_t exponent) {
    if (exponent == 0) return x;
    const Lanes lowered = x.value + (x.value >> 31);
    return {(lowered >> exponent) + ((lowered >> (exponent - 1)) & 1)};
  }

  friend WordLanes multiply_by_quantized_multiplier(WordLanes x, int32_t multiplier,
                                                    int32_t shift) {
    const WordLanes shifted = shift > 0 ? shift_left(x, shift) : x;
    const WordLanes high = of(V::high_products(shifted.sums(), multiplier));
    return rounding_divide_by_pot(high, shift > 0 ? 0 : -shift);
  }

  friend WordLanes clamp(WordLanes x, int32_t low, int32_t high) {
    const Lanes least = x.value < low ? Lanes{} + low : x.value;
    return {least > high ? Lanes{} + high : least};
  }
};

// y = F::of<T>(p, a, b) of every pair of elements; P has the members that for_each_row wants, with
// strides of 1 along the last axis, or of 0 where one tensor repeats.
template <class V, class F, class P, class T>
void pairs(const P& p, const T* a, const T* b, T* y) {
  for_each_row(p, a, b, y, [&p](const T* of_a, const T* of_b, T* of_y) {
    using W = WordLanes<V>;
    const int32_t size = p.size[4], a_stride = p.a_stride[4], b_stride = p.b_stride[4];
    const W one_a = W::repeated(*of_a), one_b = W::repeated(*of_b);
    int32_t i = 0;
    for (; i + V::kLanes <= size; i += V::kLanes) {
      const W x = a_stride == 0 ? one_a : W::of(V::words(of_a + i));
      const W z = b_stride == 0 ? one_b : W::of(V::words(of_b + i));
      V::put(F::template of<T>(p, x, z).sums(), of_y + i);
    }
    for (; i < size; ++i) {
      const int32_t x = of_a[i * a_stride], z = of_b[i * b_stride];
      of_y[i] = static_cast<T>(F::template of<T>(p, x, z));
    }
  });
}

}  // namespace opsmith::simd
