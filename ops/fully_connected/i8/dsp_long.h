// Needs the DSP extension. Fast as dsp.h is, for sums that take a product and an offset of 64 bits:
// SMLAL makes both.
#pragma once

#include "ops/fully_connected/i8/dsp_channels.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void dsp_long(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
              const DspLongScratch& scratch) {
  const auto* constants = reinterpret_cast<const dsp::LongThreshold*>(tables.requantization);
  for_each_eight(p, in.x, tables.weights, scratch.row, out.y,
                 [&](const dsp::EightSums& sums, int32_t c, int8_t* y) {
                   const dsp::LongThreshold* channel = constants + c;
                   for (int32_t i = 0; i < 8 && c + i < p.channels; ++i) {
                     y[i] = dsp::requantize(p, sums.of(i), channel[i]);
                   }
                 });
}

}  // namespace opsmith::fully_connected::i8
