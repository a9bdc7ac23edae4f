// LogSoftmax, the definition (log_softmax.h and integer_ops/log_softmax.h of
// tensorflow/lite/kernels/internal/reference), with the exponentials of bytes, which depend on a
// difference of two elements alone, from a table.
#pragma once

#include "log_softmax.op.h"
#include "runtimes/core/fixed_logarithm.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/limits.h"
#include "runtimes/core/real_exponential.h"
#include "runtimes/core/real_logarithm.h"

namespace opsmith::log_softmax {

inline constexpr int32_t kSumBits = 12;      // integer bits of a sum of exponentials, Q12.19
inline constexpr int32_t kOutputShift = 22;  // from Q5.26 to sixteenths

// The difference from the largest element of a row, negative, above which differences are held:
// Q5.26 holds them, with the logarithm added.
template <class P>
int32_t least_difference(const P& p, int32_t logarithm) {
  const int32_t farthest = multiply_by_quantized_multiplier(logarithm + INT32_MIN,
                                                            p.reverse_multiplier, p.reverse_shift);
  return max(-p.farthest - 1, farthest);
}

// The elements of a row; those whose differences are not held are the least.
template <class P, class T>
void put_row(const P& p, const T* x, T* y, int32_t largest, int32_t logarithm) {
  constexpr int32_t low = Limits<T>::kLow, high = Limits<T>::kHigh;
  const int32_t least = least_difference(p, logarithm);
  for (int32_t i = 0; i < p.depth; ++i) {
    const int32_t difference = x[i] - largest;
    const int32_t scaled = multiply_by_quantized_multiplier(difference, p.multiplier, p.shift);
    const bool held = difference > least;
    const int32_t share = held ? rounding_divide_by_pot(scaled - logarithm, kOutputShift) : low;
    y[i] = static_cast<T>(held ? clamp(share + high, low, high) : low);
  }
}

// One row of bytes.
template <class P, class T>
void row(const P& p, const T* x, T* y, const int32_t* exponential) {
  int32_t largest = Limits<T>::kLow;
  for (int32_t i = 0; i < p.depth; ++i) largest = max(largest, x[i]);
  int32_t sum = 0;
  for (int32_t i = 0; i < p.depth; ++i) {
    sum += rounding_divide_by_pot(exponential[largest - x[i]], kSumBits);
  }
  put_row(p, x, y, largest, fixed_logarithm(sum));
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out, const Tables& tables) {
  for (int32_t i = 0; i < p.rows; ++i) {
    row(p, in.x + i * p.depth, out.y + i * p.depth, tables.exponential);
  }
}

// One row of float32. A NaN is not the largest, and makes the whole row NaN.
inline void row(const float* x, float* y, int32_t depth) {
  float largest = Limits<float>::kLow;
  for (int32_t i = 0; i < depth; ++i) largest = largest < x[i] ? x[i] : largest;
  float sum = 0;
  for (int32_t i = 0; i < depth; ++i) sum += real_exponential(x[i] - largest);
  const float logarithm = real_logarithm(sum);
  for (int32_t i = 0; i < depth; ++i) y[i] = x[i] - largest - logarithm;
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  for (int32_t i = 0; i < p.rows; ++i) row(in.x + i * p.depth, out.y + i * p.depth, p.depth);
}

}  // namespace opsmith::log_softmax
