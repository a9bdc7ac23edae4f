// Needs the DSP extension. Fast as dsp.h is, for sums of any size, and for those that take a
// product and an offset of 64 bits: SMLAL makes both.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_padding.h"
#include "runtimes/cmsis/dsp_rows.h"

namespace opsmith::fully_connected::i8 {

// Outputs up to `end`. Apart from what calls it, where registers are few.
template <class O>
__attribute__((noinline)) void put(const O& o, const int32_t* sums,
                                   const dsp::LongThreshold* channels, int8_t* y,
                                   const int8_t* end) {
  while (y != end) *y++ = dsp::requantize(o, *sums++, *channels++);
}

template <class P, class S>
void dsp_long(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PackedMatrix& tables,
              const S& scratch) {
  const int32_t depth = p.padded_depth, part = p.part;
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const auto* weights = reinterpret_cast<const uint32_t*>(tables.weights);
    const int8_t* x = dsp::whole_words(in.x + row * p.depth, p.depth, depth, scratch.row);
    const auto* channel = reinterpret_cast<const dsp::LongThreshold*>(tables.requantization);
    int32_t whole;
    const int32_t* products = dsp::neighbours_of_parts(x, depth, part, whole, scratch.products);
    for (int32_t c = 0; c < p.channels; c += 8) {
      int32_t sums[8];
      weights = dsp::eight_sums(p, x, depth, part, products, weights, sums);
      const int32_t count = p.channels - c < 8 ? p.channels - c : 8;
      put(o, sums, channel, y, y + count);
      channel += count;
      y += count;
    }
  }
}

}  // namespace opsmith::fully_connected::i8
