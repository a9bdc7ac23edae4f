// Needs the DSP extension. Fast as dsp.h is, for sums of any size, and for those that take a
// product and an offset of 64 bits, of which SMLAL makes both, are rounded twice, or are rounded in
// single precision by an FPU.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_padding.h"
#include "runtimes/cmsis/dsp_rows.h"

namespace opsmith::fully_connected::i8 {

// Eight outputs. Apart from what calls it, where registers are few, and without a loop, which would
// take as long as half of what it repeats.
template <class O, class C>
__attribute__((noinline)) void put_eight(const O& o, const int32_t* sums, const C* channels,
                                         int8_t* y) {
  y[0] = dsp::requantize(o, sums[0], channels[0]);
  y[1] = dsp::requantize(o, sums[1], channels[1]);
  y[2] = dsp::requantize(o, sums[2], channels[2]);
  y[3] = dsp::requantize(o, sums[3], channels[3]);
  y[4] = dsp::requantize(o, sums[4], channels[4]);
  y[5] = dsp::requantize(o, sums[5], channels[5]);
  y[6] = dsp::requantize(o, sums[6], channels[6]);
  y[7] = dsp::requantize(o, sums[7], channels[7]);
}

template <class P, class S>
void dsp_long(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PackedMatrix& tables,
              const S& scratch) {
  const int32_t channels = p.channels, depth = p.padded_depth, part = p.part;
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const auto* weights = reinterpret_cast<const uint32_t*>(tables.weights);
    const int8_t* x = dsp::whole_words(in.x + row * p.depth, p.depth, depth, scratch.row);
    const auto* channel = rule_or<LongThreshold>(p, tables.requantization);
    int32_t whole;
    const int32_t* products = dsp::neighbours_of_parts(x, depth, part, whole, scratch.products);
    for (int32_t left = channels; left > 0; left -= 8) {
      int32_t sums[8];
      weights = dsp::eight_sums(p, x, depth, part, products, weights, sums);
      if (left < 8) {
        for (int32_t i = 0; i < left; ++i) *y++ = dsp::requantize(o, sums[i], channel[i]);
        break;
      }
      put_eight(o, sums, channel, y);
      channel += 8;
      y += 8;
    }
  }
}

}  // namespace opsmith::fully_connected::i8
