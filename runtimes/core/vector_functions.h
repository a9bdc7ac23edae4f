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
inline constexpr float kLogisticLowest = -104.0f;     // below which it is 0
inline constexpr float kPowers = 1.44269504f;         // of two, in a power of e
inline constexpr float kLogisticEven[] = {4.18986678e-2f, 0.499991417f};
inline constexpr float kLogisticOdd[] = {8.33471306e-3f, 0.166668773f};
inline constexpr float kTangentLimit = 7.90738964f;  // from which on the quotient is 1
inline constexpr float kTangentAbove[] = {1.394553628e-8f, 2.102733560e-5f, 3.520756727e-3f,
                                          1.340216100e-1f};
inline constexpr float kTangentBelow[] = {8.015776984e-7f, 3.326951409e-4f, 2.597254514e-2f,
                                          4.673548340e-1f, 1.0f};

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
  const float x = real_clamp(value, -kTangentLimit, kTangentLimit);
  const float square = x * x;
  return (square * x * polynomial(square, kTangentAbove) + x) / polynomial(square, kTangentBelow);
}

// 1 / (1 + exp(-x)), from the square of exp(x / 2), whose power of two is then normal.
inline float vector_logistic(float x) {
  if (!(x >= kLogisticLowest)) return x != x ? x : 0.0f;
  const float half = (x < kLogisticLimit ? x : kLogisticLimit) * 0.5f;
  const float power = rounded_down(half * kPowers + 0.5f);
  const float rest = (half - power * kLog2High) - power * kLog2Low;
  const float square = rest * rest;
  const float even = square * kLogisticEven[0] + kLogisticEven[1];
  const float odd = square * kLogisticOdd[0] + kLogisticOdd[1];
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

// Elements from `begin` to `end`, of an array whose first is at the start of a vector of four.
struct Places {
  int32_t begin, end;

  // Those that fill vectors, as vectors start in the array; none where end <= begin.
  Places whole() const { return {(begin + 3) / 4 * 4, end / 4 * 4}; }
};

// The logistic function of the element at a place of a row.
inline float logistic_in_place(float x, const Places& row, int32_t place) {
  const Places whole = row.whole();
  return place >= whole.begin && place < whole.end ? vector_logistic(x) : single_logistic(x);
}

}  // namespace opsmith
