// LSTM of int16 by weights of int8, the definition (tensorflow/lite/micro/kernels/lstm_eval.h).
#pragma once

#include "ops/unidirectional_sequence_lstm/i16x8/cell.h"

namespace opsmith::unidirectional_sequence_lstm::i16x8 {

inline int64_t dot(const int16_t* a, const int8_t* b, int32_t count) {
  int64_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// round(sum * multiplier / 2^shift), ties up.
constexpr int32_t narrowed(int64_t sum, int32_t multiplier, int32_t shift) {
  const int64_t half = int64_t{1} << (shift - 1);
  return saturated(static_cast<int32_t>((sum * multiplier + half) >> shift));
}

// Where among the samples a gate of one cell is, from x and the previous output.
template <class P>
int32_t position(const P& p, int32_t which, int32_t cell, const int16_t* x, const int16_t* h,
                 const Tables& tables) {
  const int32_t row = which * p.cells + cell;
  const int64_t of_x = tables.bias[row] + dot(x, tables.weights + row * p.depth, p.depth);
  const int64_t of_h = dot(h, tables.recurrent + row * p.cells, p.cells);
  const int32_t scaled = narrowed(of_x, p.x_multiplier[which], p.x_shift[which]);
  const int32_t more = narrowed(of_h, p.h_multiplier[which], p.h_shift[which]);
  return 3 * saturated(scaled + more);
}

// One step of one batch: y from x and the previous output h. The cells move.
template <class P>
void step(const P& p, const int16_t* x, const int16_t* h, int16_t* cells, int16_t* y,
          const Tables& tables) {
  for (int32_t i = 0; i < p.cells; ++i) {
    int32_t positions[4];
    for (int32_t which = kInput; which <= kOutput; ++which) {
      positions[which] = position(p, which, i, x, h, tables);
    }
    y[i] = output(p, positions, cells[i], tables.samples);
  }
}

template <class P>
void reference(const P& p, const In<int16_t, int16_t>& in, const Out<int16_t, int16_t>& out,
               const Tables& tables) {
  over_steps(p, in, out, [&](const int16_t* x, const int16_t* h, int16_t* cells, int16_t* y) {
    step(p, x, h, cells, y, tables);
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::i16x8
