// Needs an FPU. Fast because sixteen sums stay in registers, so that each element that is loaded
// serves four products.
#pragma once

#include "batch_matmul.op.h"
#include "runtimes/cmsis/fpu_rows.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::batch_matmul {

// Vectors of a matrix: from one to the next, and from one of their elements to the next.
struct Vectors {
  const float* first;
  int32_t stride;
  int32_t step;
};

// Four neighbours from number `at` on, each in one piece: where they are, or copied. Of fewer, the
// last is repeated.
inline Vectors four_of(const Vectors& all, int32_t at, int32_t count, int32_t depth, float* copy) {
  const float* from = all.first + at * all.stride;
  if (all.step == 1 && count >= fpu::kRows) return {from, all.stride, 1};
  for (int32_t i = 0; i < fpu::kRows; ++i) {
    const float* x = from + min(i, count - 1) * all.stride;
    for (int32_t k = 0; k < depth; ++k) copy[i * depth + k] = x[k * all.step];
  }
  return {copy, depth, 1};
}

// Products of four columns, or fewer, with four rows or fewer, of which some are missing.
inline void put_corner(const Vectors& rows, int32_t high, const Vectors& columns, int32_t wide,
                       int32_t depth, float* y, int32_t y_step) {
  float sums[fpu::kRows * fpu::kRows];
  fpu::Products products = fpu::one_run(depth, fpu::kRows);
  products.y = sums;
  fpu::Block block = {rows.first, rows.stride, fpu::kRows, columns.first, columns.stride};
  fpu::put_blocks(products, fpu::Bounds(fpu::kWidest), block, {}, fpu::kRows);
  for (int32_t k = 0; k < high; ++k) {
    for (int32_t l = 0; l < wide; ++l) y[k * y_step + l] = sums[fpu::kRows * k + l];
  }
}

// Products of all rows with all columns. The last four overlap those before them.
template <class P>
void multiply(const P& p, const float* a, const float* b, float* y, const FpuScratch& scratch) {
  const int32_t rows = p.size[3], columns = p.size[4], depth = p.depth;
  const int32_t high = min(rows, fpu::kRows), wide = min(columns, fpu::kRows);
  const bool are_many = high == fpu::kRows && wide == fpu::kRows;
  const int32_t together = are_many && p.a_step == 1 ? rows : high;
  const Vectors of_a = {a, p.a_stride[3], p.a_step}, of_b = {b, p.b_stride[4], p.b_step};
  fpu::Products products = fpu::one_run(depth, columns);
  for (int32_t j = 0; j < columns; j += fpu::kRows) {
    const int32_t column = min(j, columns - wide);
    const Vectors right = four_of(of_b, column, columns, depth, scratch.columns);
    for (int32_t i = 0; i < rows; i += together) {
      const int32_t row = min(i, rows - together);
      const Vectors left = four_of(of_a, row, rows, depth, scratch.rows);
      float* to = y + row * columns + column;
      if (!are_many) {
        put_corner(left, high, right, wide, depth, to, columns);
        continue;
      }
      products.y = to;
      fpu::Block block = {left.first, left.stride, fpu::kRows, right.first, right.stride};
      fpu::put_blocks(products, fpu::Bounds(fpu::kWidest), block, {left.stride, 0, columns, 0},
                      together);
    }
  }
}

template <class P>
void fpu(const P& p, const In<float, float, float>& in, const Out<float, float, float>& out,
         const FpuScratch& scratch) {
  float* y = out.y;
  for (int32_t i0 = 0; i0 < p.size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.size[2]; ++i2, y += p.size[3] * p.size[4]) {
        multiply(p, in.a + i0 * p.a_stride[0] + i1 * p.a_stride[1] + i2 * p.a_stride[2],
                 in.b + i0 * p.b_stride[0] + i1 * p.b_stride[1] + i2 * p.b_stride[2], y, scratch);
      }
    }
  }
}

}  // namespace opsmith::batch_matmul
