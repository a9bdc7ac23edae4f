// Needs the DSP extension. Fast as dsp.h is, for sums of any size, and for those that take a
// product and an offset of 64 bits: SMLAL makes both.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_padding.h"
#include "runtimes/cmsis/dsp_rows.h"

namespace opsmith::fully_connected::i8 {

template <class P, class S>
void dsp_long(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PackedMatrix& tables,
              const S& scratch) {
  const auto* constants = reinterpret_cast<const dsp::LongThreshold*>(tables.requantization);
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const auto* weights = reinterpret_cast<const uint32_t*>(tables.weights);
    const int8_t* x = dsp::whole_words(in.x + row * p.depth, p.depth, p.padded_depth, scratch.row);
    for (int32_t c = 0; c < p.channels; c += 8) {
      int32_t sums[8];
      weights = dsp::eight_sums(p, x, p.padded_depth, p.part, weights, sums);
      for (int32_t i = 0; i < 8 && c + i < p.channels; ++i) {
        *y++ = dsp::requantize(p, sums[i], constants[c + i]);
      }
    }
  }
}

}  // namespace opsmith::fully_connected::i8
