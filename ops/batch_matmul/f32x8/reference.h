// BatchMatMul of float32 by int8, the definition (EvalHybrid in
// tensorflow/lite/kernels/batch_matmul.cc).
#pragma once

#include "batch_matmul.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/dynamic_range.h"

namespace opsmith::batch_matmul::f32x8 {

// The sum of (q - zero_point) * b; the part of the zero point is taken out in single precision.
template <class P>
int32_t lifted_sum(const P& p, const int8_t* q, int32_t zero_point, const int8_t* column) {
  int32_t sum = 0;
  int32_t column_sum = 0;
  for (int32_t k = 0; k < p.depth; ++k) {
    const int32_t b = column[k * p.b_step];
    sum += q[k] * b;
    column_sum += b;
  }
  const float offset = static_cast<float>(column_sum) * static_cast<float>(zero_point);
  return static_cast<int32_t>(static_cast<float>(sum) - offset);
}

template <class P>
void reference(const P& p, const In<float, int8_t, float>& in, const Out<float, int8_t, float>& out,
               const ReferenceScratch& scratch) {
  const float* quantised = nullptr;  // the row that scratch has
  DynamicRange range = {};
  const float b_scale = static_cast<float>(p.b_scale);
  for_each_row(p, in.a, in.b, out.y, [&](const float* of_a, const int8_t* of_b, float* of_y) {
    for (int32_t i = 0; i < p.size[4]; ++i) {
      const float* row = of_a + i * p.a_stride[4];
      if (row != quantised) {
        for (int32_t k = 0; k < p.depth; ++k) scratch.row[k] = row[k * p.a_step];
        range = quantize_asymmetric(scratch.row, p.depth, scratch.quantised);
        quantised = row;
      }
      const int8_t* column = of_b + i * p.b_stride[4];
      const int32_t sum = lifted_sum(p, scratch.quantised, range.zero_point, column);
      of_y[i] = 0.0f + range.scale * b_scale * static_cast<float>(sum);  // never -0
    }
  });
}

}  // namespace opsmith::batch_matmul::f32x8
