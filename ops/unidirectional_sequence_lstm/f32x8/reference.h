// LSTM of float32 by int8 weights, the definition (LstmStepHybrid in
// tensorflow/lite/kernels/lstm_eval.cc).
#pragma once

#include "ops/unidirectional_sequence_lstm/f32/reference.h"
#include "runtimes/core/dynamic_range.h"

namespace opsmith::unidirectional_sequence_lstm::f32x8 {

// A row of floats that is quantised.
struct Row {
  const int8_t* elements;
  int32_t size;
  DynamicRange range;
};

template <class P>
Row quantised(const P& p, const float* x, int32_t size, int8_t* elements) {
  return {elements, size,
          p.asymmetric_quantize_inputs ? quantize_asymmetric(x, size, elements)
                                       : quantize_symmetric(x, size, elements)};
}

inline float product(const Row& row, const int8_t* weights, float scale) {
  int32_t sum = 0;
  for (int32_t i = 0; i < row.size; ++i) {
    sum += (row.elements[i] - row.range.zero_point) * weights[i];
  }
  return static_cast<float>(sum) * (row.range.scale * scale);
}

// A gate of one cell before its function, from x and the previous output.
template <class P>
float gate(const P& p, Gate which, int32_t cell, const Row& x, const Row& h, const Tables& tables) {
  const int32_t row = which * p.cells + cell;
  const float of_x =
      tables.bias[row] + product(x, tables.weights + row * p.depth, tables.weights_scale[which]);
  return of_x + product(h, tables.recurrent + row * p.cells, tables.recurrent_scale[which]);
}

template <class P>
void reference(const P& p, const In<float, float>& in, const Out<float, float>& out,
               const Tables& tables, const ReferenceScratch& scratch) {
  over_steps(p, in, out, [&](const float* x, const float* h, float* cells, float* y) {
    const int32_t batch = static_cast<int32_t>(cells - in.cell_state) / p.cells;
    const Row of_x = quantised(p, x, p.depth, scratch.row);
    const Row of_h = quantised(p, h, p.cells, scratch.last);
    f32::step(p, batch, cells, y,
              [&](Gate which, int32_t i) { return gate(p, which, i, of_x, of_h, tables); });
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::f32x8
