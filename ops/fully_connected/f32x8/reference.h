// FullyConnected of float32 by int8 weights, the definition (EvalHybridDense in
// tensorflow/lite/kernels/fully_connected.cc).
#pragma once

#include "fully_connected.op.h"
#include "runtimes/core/dynamic_range.h"
#include "runtimes/core/vector_activation.h"

namespace opsmith::fully_connected::f32x8 {

template <class P>
int32_t dot_product(const P& p, const int8_t* x, int32_t zero_point, const int8_t* weights) {
  int32_t sum = 0;
  for (int32_t i = 0; i < p.depth; ++i) sum += (x[i] - zero_point) * weights[i];
  return sum;
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables,
               const ReferenceScratch& scratch) {
  if (all_zero(in.x, p.rows * p.depth)) {  // no sum, which would lose the sign of a bias of -0
    for (int32_t i = 0; i < p.rows * p.channels; ++i) {
      out.y[i] = activated(p.activation, tables.bias[i % p.channels]);
    }
    return;
  }
  for (int32_t row = 0; row < p.rows; ++row) {
    const float* x = in.x + row * p.depth;
    float* y = out.y + row * p.channels;
    const DynamicRange range = p.asymmetric_quantize_inputs
                                   ? quantize_asymmetric(x, p.depth, scratch.row)
                                   : quantize_symmetric(x, p.depth, scratch.row);
    for (int32_t c = 0; c < p.channels; ++c) {
      const int8_t* weights = tables.weights + c * p.depth;
      const int32_t sum = dot_product(p, scratch.row, range.zero_point, weights);
      const float product = static_cast<float>(sum) * (range.scale * tables.scale[c]);
      y[c] = activated(p.activation, product + tables.bias[c]);
    }
  }
}

}  // namespace opsmith::fully_connected::f32x8
