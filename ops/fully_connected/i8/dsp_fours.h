// Needs the DSP extension. Fast as a convolution of 1x1 is: each pair of weights that is loaded
// serves four rows of x and two output channels. For several rows.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_padding.h"
#include "runtimes/cmsis/dsp_pixels.h"

namespace opsmith::fully_connected::i8 {

// Up to four rows as columns; of fewer, those of the others become the first one's.
template <class P>
void spread_rows(const P& p, const int8_t* x, int32_t count, int8_t* copy, uint32_t* columns) {
  const int32_t depth = p.depth, padded = p.padded_depth;
  if (padded == depth) return dsp::spread_neighbours<0>(x, depth, count, columns);
  for (int32_t i = 0; i < count; ++i, x += depth) {
    dsp::spread<0>(dsp::whole_words(x, depth, padded, copy), padded, columns + i);
  }
}

template <class P, class S>
void dsp_fours(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PackedMatrix& tables,
               const S& scratch) {
  const auto weights = dsp::weights_of(p, tables.weights);
  const auto* constants = rule_or<Threshold>(p, tables.requantization);
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t channels = p.channels, words = p.padded_depth / 2 * dsp::kPixels;
  const auto o = dsp::with_long(dsp::outputs_of<int8_t>(p, &P::left_shift));
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t left = p.rows; left > 0; left -= dsp::kPixels) {
    const int32_t count = left < dsp::kPixels ? left : dsp::kPixels;
    spread_rows(p, x, count, scratch.row, columns);
    int8_t* group = count == dsp::kPixels ? y : scratch.rest;
    dsp::four_pixels(o, columns, words, weights, constants, channels, group);
    if (group != y) memcpy(y, group, static_cast<size_t>(count * channels));
    x += count * p.depth;
    y += count * channels;
  }
}

}  // namespace opsmith::fully_connected::i8
