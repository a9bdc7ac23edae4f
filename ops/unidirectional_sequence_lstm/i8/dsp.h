// Needs the DSP extension. Fast because the eight gates of two cells are multiplied at a time: each
// four inputs that are loaded serve all of them.
#pragma once

#include "ops/unidirectional_sequence_lstm/i8/cell.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/dsp_functions.h"
#include "runtimes/cmsis/dsp_rows.h"
#include "runtimes/cmsis/dsp_padding.h"

namespace opsmith::unidirectional_sequence_lstm::i8 {

// One step of one batch.
template <class P>
void two_by_two(const P& p, const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y,
                const DspTables& tables) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.weights);
  const uint32_t* recurrent = reinterpret_cast<const uint32_t*>(tables.recurrent);
  const int32_t products_of_x = dsp::neighbours(x, x + p.padded_depth);
  const int32_t products_of_h = dsp::neighbours(h, h + p.padded_cells);
  for (int32_t i = 0; i < p.cells; i += 2) {
    const int32_t gates_left = 4 * (p.cells - i);
    int32_t of_x[8], of_h[8];
    weights =
        dsp::eight_channels(p, x, x + p.padded_depth, gates_left, weights, products_of_x, of_x);
    recurrent =
        dsp::eight_channels(p, h, h + p.padded_cells, gates_left, recurrent, products_of_h, of_h);
    for (int32_t j = 0; j < min(p.cells - i, 2); ++j) {
      const int32_t* bias = tables.bias + 4 * (i + j);
      const int32_t* recurrent_bias = tables.recurrent_bias + 4 * (i + j);
      int32_t gates[4];
#pragma GCC unroll 4
      for (int32_t which = p.coupled ? kForget : kInput; which < 4; ++which) {
        gates[which] = gate_of(p, which, of_x[4 * j + which] + bias[which],
                               of_h[4 * j + which] + recurrent_bias[which]);
      }
      y[i + j] = output<dsp::fixed_logistic, dsp::fixed_tanh>(p, gates, cells[i + j]);
    }
  }
}

template <class P, class S>
void dsp(const P& p, const In<int8_t, int16_t>& in, const Out<int8_t, int16_t>& out,
         const DspTables& tables, const S& scratch) {
  over_steps(p, in, out, [&](const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y) {
    two_by_two(p, dsp::whole_words(x, p.depth, p.padded_depth, scratch.x),
               dsp::whole_words(h, p.cells, p.padded_cells, scratch.h), cells, y, tables);
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::i8
