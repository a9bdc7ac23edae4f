// Dot products of float32 in four lanes, in the order in which LiteRT adds them on x86 and Arm
// (NeonMatrixBatchVectorMultiplyAccumulate in tensorflow/lite/kernels/internal/optimized).
// lane_dot.py is the same in numpy. Products are rounded before they are added: -ffp-contract=off.
// Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

inline constexpr int32_t kLanes = 4;

// The sums of products in each lane, of all whole fours of elements; returns how many those are.
inline int32_t lane_products(const float* a, const float* b, int32_t count, float* lanes) {
  int32_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
#pragma GCC unroll 4
    for (int32_t k = 0; k < kLanes; ++k) lanes[k] += a[i + k] * b[i + k];
  }
  return i;
}

// `start`, plus the lanes from the first to the last, plus the products of the other elements.
inline float lane_dot(float start, const float* a, const float* b, int32_t count) {
  float lanes[kLanes] = {};
  int32_t i = lane_products(a, b, count, lanes);
  float sum = start + (((lanes[0] + lanes[1]) + lanes[2]) + lanes[3]);
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Lanes in pairs, plus the products of the other elements: Eigen's matrix by vector.
inline float paired_lane_dot(const float* a, const float* b, int32_t count) {
  float lanes[kLanes] = {};
  int32_t i = lane_products(a, b, count, lanes);
  float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace opsmith
