// Softmax, the definition (tensorflow/lite/kernels/internal/reference/softmax.h, Softmax of int8),
// with its exponentials, which depend on a difference of two elements alone, from a table.
#pragma once

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/reciprocal.h"
#include "softmax.op.h"

namespace opsmith::softmax {

inline constexpr int32_t kSumBits = 12;  // integer bits of a sum of exponentials, Q12.19

// What turns exponentials into shares of 256: a factor in Q0.31, and a shift to the right.
struct Scale {
  int32_t multiplier;
  int32_t exponent;
};

// sum = (1 + fraction) * 2^(31 - zeros): shares are exponentials times 1 / (1 + fraction), shifted.
inline Scale scale_of(int32_t sum) {
  const int32_t zeros = __builtin_clz(static_cast<uint32_t>(sum));
  const uint32_t fraction = (static_cast<uint32_t>(sum) << zeros) - (uint32_t{1} << 31);
  return {reciprocal_of_one_plus(static_cast<int32_t>(fraction)), kSumBits - zeros + 31 - 8};
}

// One row; `exponential` is in Q0.31.
inline void row(const int8_t* x, int8_t* y, int32_t depth, const int32_t* exponential) {
  int32_t largest = INT8_MIN;
  for (int32_t i = 0; i < depth; ++i) largest = max(largest, x[i]);
  int32_t sum = 0;
  for (int32_t i = 0; i < depth; ++i) {
    sum += rounding_divide_by_pot(exponential[largest - x[i]], kSumBits);
  }
  const Scale scale = scale_of(sum);
  for (int32_t i = 0; i < depth; ++i) {
    const int32_t product = doubling_high_mul(scale.multiplier, exponential[largest - x[i]]);
    // Above 31 every share of 256 rounds to zero.
    const int32_t share = scale.exponent > 31 ? 0 : rounding_divide_by_pot(product, scale.exponent);
    y[i] = static_cast<int8_t>(min(share + INT8_MIN, INT8_MAX));
  }
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  for (int32_t i = 0; i < p.rows; ++i) {
    row(in.x + i * p.depth, out.y + i * p.depth, p.depth, tables.exponential);
  }
}

}  // namespace opsmith::softmax
