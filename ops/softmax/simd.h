// Needs vectors. Fast because comparisons, exponentials and quotients are those of a vector.
#pragma once

#include "ops/softmax/reference.h"
#include "runtimes/simd/real_functions.h"

namespace opsmith::softmax {

// Of equal zeros either one: their exponentials are the same.
template <class V>
float largest_in_vectors(const float* x, int32_t depth) {
  using R = opsmith::simd::Reals<V>;
  using Steps = StepsOf<typename R::Sums>;
  typename R::Sums found = Limits<float>::kLow - typename R::Sums{};
  int32_t i = 0;
  for (; i + R::kLanes <= depth; i += R::kLanes) found = Steps::larger(R::weights(x + i), found);
  float largest = largest_of(x + i, depth - i);
#pragma GCC unroll 16
  for (i = 0; i < R::kLanes; ++i) largest = largest < found[i] ? found[i] : largest;
  return largest;
}

// Sums are of elements one after the other: those of some rows at a time wait less for each other,
// and that of a row alone waits while its next vector is computed.
template <class V, int kRows>
void put_rows(const float* x, float* y, int32_t depth, float beta) {
  constexpr int32_t kAlone = 2 * V::kLanes;
  const int32_t part = kRows > 1 ? depth : kAlone;
  float sums[kRows] = {};
  for (int r = 0; r < kRows; ++r) {
    const float largest = largest_in_vectors<V>(x + r * depth, depth);
    const auto exponential = [=](auto each) { return real_exponential((each - largest) * beta); };
    for (int32_t i = 0; i < depth; i += part) {
      const int32_t at = r * depth + i, count = min(part, depth - i);
      opsmith::simd::of_all<V>(x + at, y + at, count, exponential);
      for (int32_t j = 0; kRows == 1 && j < count; ++j) sums[0] += y[i + j];
    }
  }
  for (int32_t i = 0; kRows > 1 && i < depth; ++i) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) sums[r] += y[r * depth + i];
  }
  for (int r = 0; r < kRows; ++r) {
    const float sum = sums[r];
    float* row = y + r * depth;
    opsmith::simd::of_all<V>(row, row, depth, [sum](auto each) { return each / sum; });
  }
}

template <class V, class P>
void in_vectors(const P& p, const float* x, float* y) {
  constexpr int kRows = 8;
  const float beta = static_cast<float>(p.beta);
  const int32_t depth = p.depth;
  int32_t row = 0;
  for (; row + kRows <= p.rows; row += kRows) {
    put_rows<V, kRows>(x + row * depth, y + row * depth, depth, beta);
  }
  for (; row < p.rows; ++row) put_rows<V, 1>(x + row * depth, y + row * depth, depth, beta);
}

}  // namespace opsmith::softmax
