// Needs the DSP extension. Fast because each four inputs that are loaded serve eight output
// channels, SMLAD adds two products at once, and only every other channel's weights are unpacked.
#pragma once

#include "ops/fully_connected/i8/dsp_channels.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
         const DspScratch& scratch) {
  const auto* constants = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
  for_each_eight(p, in.x, tables.weights, scratch.row, out.y,
                 [&](const dsp::EightSums& sums, int32_t c, int8_t* y) {
                   for (int32_t i = 0; i < 4; ++i) {
                     const dsp::Threshold* pair = constants + c + 2 * i;
                     if (c + 2 * i < p.channels) *y++ = dsp::requantize(p, sums.a[i], pair[0]);
                     if (c + 2 * i + 1 < p.channels) {
                       *y++ = dsp::requantize(dsp::of_b(p), sums.both[i] - sums.a[i], pair[1]);
                     }
                   }
                 });
}

}  // namespace opsmith::fully_connected::i8
