// The logistic function and tanh of float32 as LiteRT has them in layers on x86: Eigen's quotients
// of polynomials, without fused multiplication. vector_functions.py is the same in numpy.
// Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/elementary.h"
#include "runtimes/core/float_bits.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/core/real_exponential.h"
#include "runtimes/core/real_rounding.h"

namespace opsmith {

inline constexpr float kLogisticLimit = 16.6355324f;  // from which on it is 1

// By Horner's rule; the coefficient of the highest power comes first.
template <int next = 1, int size>
__attribute__((always_inline)) inline float polynomial(float x, const float (&coefficients)[size],
                                                       float sum) {
  if constexpr (next == size) {
    return sum;
  } else {
    return polynomial<next + 1>(x, coefficients, sum * x + coefficients[next]);
  }
}
template <int size>
__attribute__((always_inline)) inline float polynomial(float x, const float (&coefficients)[size]) {
  return polynomial(x, coefficients, coefficients[0]);
}

inline float vector_hyperbolic_tangent(float value) {
  constexpr float kLimit = 7.90738964f;  // from which on the quotient is 1
  static constexpr float kAbove[] = {1.394553628e-8f, 2.102733560e-5f, 3.520756727e-3f,
                                     1.340216100e-1f};
  static constexpr float kBelow[] = {8.015776984e-7f, 3.326951409e-4f, 2.597254514e-2f,
                                     4.673548340e-1f, 1.0f};
  const float x = real_clamp(value, -kLimit, kLimit);
  const float square = x * x;
  return (square * x * polynomial(square, kAbove) + x) / polynomial(square, kBelow);
}

// 1 / (1 + exp(-x)), from the square of exp(x / 2), whose power of two is then normal.
inline float vector_logistic(float x) {
  if (!(x >= -104.0f)) return x != x ? x : 0.0f;
  const float half = (x < kLogisticLimit ? x : kLogisticLimit) * 0.5f;
  const float power = rounded_down(half * 1.44269504f + 0.5f);
  const float rest = (half - power * kLog2High) - power * kLog2Low;
  const float square = rest * rest;
  const float even = square * 4.18986678e-2f + 0.499991417f;
  const float odd = square * 8.33471306e-3f + 0.166668773f;
  const float sum = square * (rest * odd + even) + (rest + 1.0f);
  const float root = sum * power_of_two(static_cast<int32_t>(power));
  const float exponential = root * root;
  return exponential / (1.0f + exponential);
}

// The same of an element that fills no vector, from the C library's exponential.
inline float single_logistic(float x) {
  const float exponential = real_exponential(x > kLogisticLimit ? kLogisticLimit : x);
  return exponential / (1.0f + exponential);
}

// That of the element at a place of an array whose first is at the start of a vector, where those
// from `begin` to `end` are one row.
inline float logistic_in_place(float x, int32_t begin, int32_t place, int32_t end) {
  constexpr int32_t kWidth = 4;
  const bool whole =
      place >= (begin + kWidth - 1) / kWidth * kWidth && place < end / kWidth * kWidth;
  return whole ? vector_logistic(x) : single_logistic(x);
}

}  // namespace opsmith
