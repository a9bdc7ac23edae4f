// Functions of two tensors that broadcast, element by element, with a fused activation.
// Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/broadcast.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/core/wrapping.h"

namespace opsmith::binary {

// a + b, a - b, a * b and (a - b)^2 of numbers, or of what a core has in their place. Integers
// wrap.
struct Sum {
  constexpr int32_t operator()(int32_t a, int32_t b) const { return wrapping_sum(a, b); }
  constexpr int64_t operator()(int64_t a, int64_t b) const { return wrapping_sum(a, b); }
  template <class W>
  constexpr auto operator()(W a, W b) const {
    return a + b;
  }
};

struct Difference {
  constexpr int32_t operator()(int32_t a, int32_t b) const { return wrapping_difference(a, b); }
  constexpr int64_t operator()(int64_t a, int64_t b) const { return wrapping_difference(a, b); }
  template <class W>
  constexpr auto operator()(W a, W b) const {
    return a - b;
  }
};

struct Product {
  constexpr int32_t operator()(int32_t a, int32_t b) const { return wrapping_product(a, b); }
  constexpr int64_t operator()(int64_t a, int64_t b) const { return wrapping_product(a, b); }
  template <class W>
  constexpr auto operator()(W a, W b) const {
    return a * b;
  }
};

struct SquaredDifference {
  constexpr int32_t operator()(int32_t a, int32_t b) const {
    return wrapping_product(wrapping_difference(a, b), wrapping_difference(a, b));
  }
  template <class W>
  constexpr auto operator()(W a, W b) const {
    return (a - b) * (a - b);
  }
};

// Bits of headroom that a function F of quantised T scales its operands up by; a square has twice
// as many.
template <class F, class T>
inline constexpr int32_t kHeadroom = sizeof(T) == 1 ? 20 : 15;
template <class T>
inline constexpr int32_t kHeadroom<SquaredDifference, T> = sizeof(T) == 1 ? 7 : 0;

// Whether the scales of T may be powers of two, of which F then shifts elements: P has `shifts`.
template <class F, class T>
inline constexpr bool kMayShift = sizeof(T) == sizeof(int16_t);
template <class T>
inline constexpr bool kMayShift<SquaredDifference, T> = false;

// Within the bounds of y, of which those that are the limits of int32 are those of int64.
template <class P>
constexpr int64_t wide_clamp(const P& p, int64_t y) {
  if (p.activation_min > INT32_MIN && y < p.activation_min) return p.activation_min;
  return p.activation_max < INT32_MAX && y > p.activation_max ? p.activation_max : y;
}

// One element of a function F of quantised T: both at a common scale, then F of them at the scale
// of y. Where scales are powers of two, one operand is shifted, and the other has that of y.
// W is int32_t, or what a core has in its place.
template <class F>
struct Quantised {
  template <class T, class P, class W>
  static constexpr W of(const P& p, W a, W b) {
    if constexpr (kMayShift<F, T>) {
      if (p.shifts) {
        const W y =
            F{}(rounding_divide_by_pot(a, -p.a_shift), rounding_divide_by_pot(b, -p.b_shift));
        return clamp(y, p.activation_min, p.activation_max);
      }
    }
    constexpr int32_t left = kHeadroom<F, T>;
    const W scaled_a = multiply_by_quantized_multiplier(shift_left(a - p.a_zero_point, left),
                                                        p.a_multiplier, p.a_shift);
    const W scaled_b = multiply_by_quantized_multiplier(shift_left(b - p.b_zero_point, left),
                                                        p.b_multiplier, p.b_shift);
    const W y =
        multiply_by_quantized_multiplier(F{}(scaled_a, scaled_b), p.y_multiplier, p.y_shift);
    return clamp(y + p.y_zero_point, p.activation_min, p.activation_max);
  }
};

// That of a product; of 16 bits it needs zero points of 0 to fit 32.
template <>
struct Quantised<Product> {
  template <class T, class P, class W>
  static constexpr W of(const P& p, W a, W b) {
    const auto product = (a - p.a_zero_point) * (b - p.b_zero_point);
    const W y = multiply_by_quantized_multiplier(product, p.multiplier, p.shift);
    return clamp(y + p.y_zero_point, p.activation_min, p.activation_max);
  }
};

// One element of one of these functions.
template <class F, class P, class T>
constexpr T element(const P& p, T a, T b) {
  return static_cast<T>(Quantised<F>::template of<T>(p, int32_t{a}, int32_t{b}));
}

template <class F, class P>
constexpr int32_t element(const P& p, int32_t a, int32_t b) {
  return clamp(F{}(a, b), p.activation_min, p.activation_max);
}

template <class F, class P>
constexpr int64_t element(const P& p, int64_t a, int64_t b) {
  return wide_clamp(p, F{}(a, b));
}

template <class F, class P>
constexpr float element(const P& p, float a, float b) {
  return real_clamp(F{}(a, b), p.real_min, p.real_max);
}

// y = F(a, b) of every pair of elements, where F is one of these functions.
template <class F, class P, class T>
void elements(const P& p, const T* a, const T* b, T* y) {
  for_each_pair(p, a, b, y, [&p](T of_a, T of_b) { return element<F>(p, of_a, of_b); });
}

}  // namespace opsmith::binary
