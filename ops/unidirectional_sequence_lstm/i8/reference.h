// LSTM of int8, the definition (LstmStepInteger8x8_16 in tensorflow/lite/kernels/lstm_eval.cc).
#pragma once

#include "ops/unidirectional_sequence_lstm/i8/cell.h"

namespace opsmith::unidirectional_sequence_lstm::i8 {

inline int32_t dot(const int8_t* a, const int8_t* b, int32_t count) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// A gate of one cell before its function, in Q3.12, from x and the previous output.
template <class P>
int32_t gate(const P& p, int32_t which, int32_t cell, const int8_t* x, const int8_t* h,
             const Tables& tables) {
  const int32_t row = which * p.cells + cell;
  const int32_t of_x = tables.bias[row] + dot(x, tables.weights + row * p.depth, p.depth);
  const int32_t of_h =
      tables.recurrent_bias[row] + dot(h, tables.recurrent + row * p.cells, p.cells);
  return gate_of(p, which, of_x, of_h);
}

// One step of one batch: y from x and the previous output h. The cells move.
template <class P>
void step(const P& p, const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y,
          const Tables& tables) {
  for (int32_t i = 0; i < p.cells; ++i) {
    int32_t gates[4];
    for (int32_t which = p.coupled ? kForget : kInput; which < 4; ++which) {
      gates[which] = gate(p, which, i, x, h, tables);
    }
    y[i] = output(p, gates, cells[i]);
  }
}

template <class P>
void reference(const P& p, const In<int8_t, int16_t>& in, const Out<int8_t, int16_t>& out,
               const Tables& tables) {
  over_steps(p, in, out, [&](const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y) {
    step(p, x, h, cells, y, tables);
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::i8
