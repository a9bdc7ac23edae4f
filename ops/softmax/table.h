// Softmax of bytes by a table of exponentials in single precision
// (tensorflow/lite/kernels/internal/optimized/optimized_ops.h, Softmax of a table).
#pragma once

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/limits.h"
#include "softmax.op.h"

namespace opsmith::softmax {

// The shares of all rows, where exponential(d) is that of a difference d from the largest element.
template <class P, class T, class Exponential>
void shares_of(const P& p, const T* x, T* y, Exponential exponential) {
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.depth) {
    int32_t largest = Limits<T>::kLow;
    for (int32_t i = 0; i < p.depth; ++i) largest = max(largest, x[i]);
    float sum = 0;
    for (int32_t i = 0; i < p.depth; ++i) sum += exponential(largest - x[i]);
    const float factor = 1.0f / (sum * static_cast<float>(p.y_scale));
    for (int32_t i = 0; i < p.depth; ++i) {
      const float share = exponential(largest - x[i]) * factor + 0.5f;
      y[i] = static_cast<T>(min(static_cast<int32_t>(share) + Limits<T>::kLow, Limits<T>::kHigh));
    }
  }
}

template <class P, class T>
void table(const P& p, const In<T, T>& in, const Out<T, T>& out, const RealTables& tables) {
  const float* exponential = tables.exponential;
  shares_of(p, in.x, out.y, [=](int32_t difference) { return exponential[difference]; });
}

}  // namespace opsmith::softmax
