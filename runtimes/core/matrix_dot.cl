// Sums of products of float32 in the order in which LiteRT multiplies matrices: matrix_dot.h in
// OpenCL C.
#include "runtimes/core/lane_dot.cl"

// The sums of every second product of all whole eights, plus the other products.
INLINE float dot_by_two(const __global float* a, const __global float* b, int count) {
  float2 sums = 0;
  for (int i = 0; i < (count & ~7); i += 2) sums += vload2(0, a + i) * vload2(0, b + i);
  return with_products(sums.s0 + sums.s1, a, b, count & ~7, count);
}

// The sums of every fourth product of all whole fours, added in pairs, plus the other products.
INLINE float dot_by_four(const __global float* a, const __global float* b, int count) {
  const float4 sums = lane_products(a, b, count);
  const float sum = (sums.s0 + sums.s1) + (sums.s2 + sums.s3);
  return with_products(sum, a, b, count & ~3, count);
}

// One row by one column: four vectors of lanes, the last added to the one before it, and so on.
INLINE float vector_dot(const __global float* a, const __global float* b, int count) {
  float4 vectors[4] = {0, 0, 0, 0};
  for (int i = 0; i + 4 <= count; i += 4) {
    vectors[i / 4 % 4] += vload4(0, a + i) * vload4(0, b + i);
  }
  const float4 lanes = vectors[0] + (vectors[1] + (vectors[2] + vectors[3]));
  const float sum = (lanes.s0 + lanes.s2) + (lanes.s1 + lanes.s3);
  return with_products(sum, a, b, count & ~3, count);
}

// Element [row][column] of the product of x [rows][depth] and weights [columns][depth], from that
// row of x and that column's weights.
INLINE float matrix_dot(int rows, int columns, int depth, int row, int column,
                        const __global float* x, const __global float* weights) {
  if (rows == 1 && columns == 1) return vector_dot(x, weights, depth);
  if (rows == 1 || columns == 1 || rows + columns + depth < 20) {
    return paired_lane_dot(x, weights, depth);
  }
  const bool in_tile = row < (rows & ~3);
  if (in_tile && column >= (columns & ~3)) return dot_by_four(x, weights, depth);
  if (in_tile && column >= (columns & ~7)) return dot_by_two(x, weights, depth);
  return with_products(0, x, weights, 0, depth);
}
