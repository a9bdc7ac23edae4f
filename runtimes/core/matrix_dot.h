// Sums of products of float32 in the order in which LiteRT multiplies matrices on x86: Eigen's, for
// vectors of four elements without fused multiplication. matrix_dot.py is the same in numpy.
// Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/lane_dot.h"

namespace opsmith {

// Sizes of a product: x is [rows][depth], weights are [columns][depth].
struct MatrixSizes {
  int32_t rows, columns, depth;
};

// The sums of every kSums-th product of all whole blocks, added in pairs, plus the other products.
template <int kSums, int kBlock>
float interleaved_dot(const float* a, const float* b, int32_t count) {
  float sums[kSums] = {};
  const int32_t whole = count / kBlock * kBlock;
  for (int32_t i = 0; i < whole; ++i) sums[i % kSums] += a[i] * b[i];
  for (int32_t n = 1; n < kSums; n *= 2) {
    for (int32_t i = 0; i < kSums; i += 2 * n) sums[i] += sums[i + n];
  }
  float sum = sums[0];
  for (int32_t i = whole; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// One row by one column: four vectors of lanes, the last added to the one before it, and so on.
inline float vector_dot(const float* a, const float* b, int32_t count) {
  constexpr int32_t kVectors = 4;
  float lanes[kVectors * kLanes] = {};
  const int32_t whole = count / kLanes * kLanes;
  for (int32_t i = 0; i < whole; ++i) lanes[i % (kVectors * kLanes)] += a[i] * b[i];
  for (int32_t i = (kVectors - 1) * kLanes; i-- > 0;) lanes[i] += lanes[i + kLanes];
  float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  for (int32_t i = whole; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Element [row][column] of the product, from that row of x and that column's weights. Larger
// products are made of tiles, whose sums have orders of their own.
inline float matrix_dot(const MatrixSizes& sizes, int32_t row, int32_t column, const float* x,
                        const float* weights) {
  constexpr int32_t kSmall = 20, kTile = 4;
  const int32_t count = sizes.depth;
  if (sizes.rows == 1 && sizes.columns == 1) return vector_dot(x, weights, count);
  if (sizes.rows == 1 || sizes.columns == 1 || sizes.rows + sizes.columns + count < kSmall) {
    return paired_lane_dot(x, weights, count);
  }
  const bool in_tile = row < sizes.rows / kTile * kTile;
  if (in_tile && column >= sizes.columns / kTile * kTile) {
    return interleaved_dot<4, 4>(x, weights, count);
  }
  if (in_tile && column >= sizes.columns / (2 * kTile) * (2 * kTile)) {
    return interleaved_dot<2, 8>(x, weights, count);
  }
  return interleaved_dot<1, 1>(x, weights, count);
}

}  // namespace opsmith
