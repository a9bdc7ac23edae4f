// LSTM of float32, the definition (LstmStepFloat in tensorflow/lite/kernels/lstm_eval.cc), with the
// functions and the orders of additions that LiteRT has on x86.
#pragma once

#include "ops/unidirectional_sequence_lstm/steps.h"
#include "runtimes/core/matrix_dot.h"
#include "runtimes/core/vector_functions.h"

namespace opsmith::unidirectional_sequence_lstm::f32 {

// A gate of one cell before its function, from x and the previous output.
template <class P>
float gate(const P& p, Gate which, int32_t batch, int32_t cell, const float* x, const float* h,
           const Tables& tables) {
  const int32_t row = which * p.cells + cell, together = p.time_major ? p.batches : 1;
  const float of_x =
      matrix_dot({together, p.cells, p.depth}, batch, cell, x, tables.weights + row * p.depth) +
      tables.bias[row];
  return matrix_dot({together, p.cells, p.cells}, batch, cell, h,
                    tables.recurrent + row * p.cells) +
         of_x;
}

// The row of a gate in LiteRT's scratch buffer, which has the gates of the input, the cell, what is
// forgotten, and the output, for all batches each; and the place of the batch's first cell.
struct GateRow {
  Places places;
  int32_t cells;
};

template <class P>
GateRow gate_row(const P& p, Gate which, int32_t batch) {
  const int32_t slot = (which == kInput ? 0 : which == kForget ? 2 : 3) - p.coupled;
  const int32_t first = slot * p.batches * p.cells, cells = first + batch * p.cells;
  if (p.time_major) return {{first, first + p.batches * p.cells}, cells};
  return {{cells, cells + p.cells}, cells};
}

// The next state of a cell. A bound replaces NaN.
template <class P>
float updated(const P& p, float state, float forget, float update, float candidate) {
  const float kept = forget * state;
  const float sum = kept + candidate * update;
  const float clip = static_cast<float>(p.cell_clip);
  if (!(clip > 0)) return sum;
  const float most = sum < clip ? sum : clip;
  return most > -clip ? most : -clip;
}

// One step of one batch: y from gate(which, cell), each before its function. The cells move.
template <class P, class OfCell>
void step(const P& p, int32_t batch, float* cells, float* y, OfCell gate) {
  const auto opened = [&](Gate which, int32_t i) {
    const GateRow row = gate_row(p, which, batch);
    return logistic_in_place(gate(which, i), row.places, row.cells + i);
  };
  for (int32_t i = 0; i < p.cells; ++i) {
    const float forget = opened(kForget, i);
    const float update = p.coupled ? 1 - forget : opened(kInput, i);
    const float candidate = vector_hyperbolic_tangent(gate(kCell, i));
    cells[i] = updated(p, cells[i], forget, update, candidate);
    y[i] = opened(kOutput, i) * vector_hyperbolic_tangent(cells[i]);
  }
}

template <class P>
void reference(const P& p, const In<float, float>& in, const Out<float, float>& out,
               const Tables& tables) {
  over_steps(p, in, out, [&](const float* x, const float* h, float* cells, float* y) {
    const int32_t batch = static_cast<int32_t>(cells - in.cell_state) / p.cells;
    step(p, batch, cells, y,
         [&](Gate which, int32_t i) { return gate(p, which, batch, i, x, h, tables); });
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::f32
