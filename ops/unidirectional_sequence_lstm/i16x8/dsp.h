// Needs the DSP extension. Fast because the eight gates of two cells are multiplied at a time: each
// two inputs that are loaded serve all of them, and a sum is narrowed by SMMULR.
#pragma once

#include "ops/unidirectional_sequence_lstm/i16x8/cell.h"
#include "runtimes/cmsis/dsp_narrow_rows.h"
#include "runtimes/cmsis/dsp_padding.h"

namespace opsmith::unidirectional_sequence_lstm::i16x8 {

// One step of one batch.
template <class P>
void two_by_two(const P& p, const int16_t* x, const int16_t* h, int16_t* cells, int16_t* y,
                const DspTables& tables) {
  const int32_t depth = p.padded_depth, outputs = p.padded_cells;
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.weights);
  const uint32_t* recurrent = reinterpret_cast<const uint32_t*>(tables.recurrent);
  for (int32_t i = 0; i < p.cells; i += 2) {
    int32_t of_x[8] = {}, of_h[8] = {};
    dsp::add_products(x, x + depth, weights, of_x);
    dsp::add_products(h, h + outputs, recurrent, of_h);
    weights += 2 * depth, recurrent += 2 * outputs;
    for (int32_t j = 0; j < min(p.cells - i, 2); ++j) {
      int32_t positions[4];
      for (int32_t which = 0; which < 4; ++which) {
        const int32_t sum = of_x[4 * j + which] + tables.bias[4 * (i + j) + which];
        const int32_t scaled = __ssat(dsp::smmulr(sum, p.x_multiplier[which]), 16);
        const int32_t more = __ssat(dsp::smmulr(of_h[4 * j + which], p.h_multiplier[which]), 16);
        positions[which] = 3 * __ssat(scaled + more, 16);
      }
      y[i + j] = output(p, positions, cells[i + j], tables.samples);
    }
  }
}

template <class P>
void dsp(const P& p, const In<int16_t, int16_t>& in, const Out<int16_t, int16_t>& out,
         const DspTables& tables, const DspScratch& scratch) {
  over_steps(p, in, out, [&](const int16_t* x, const int16_t* h, int16_t* cells, int16_t* y) {
    two_by_two(p, dsp::whole_words(x, p.depth, p.padded_depth, scratch.x),
               dsp::whole_words(h, p.cells, p.padded_cells, scratch.h), cells, y, tables);
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::i16x8
