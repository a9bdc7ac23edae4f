// Needs the DSP extension. Fast as the kernel of int8 is: inputs and weights are int8 here, 128
// less.
#pragma once

#include "ops/fully_connected/u8/rows.h"

namespace opsmith::fully_connected::u8 {

template <class P, class S>
void dsp(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const PackedMatrix& tables,
         const S& scratch) {
  const auto* constants = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
  for_each_eight(p, in.x, tables, scratch.row, out.y,
                 [&](const dsp::EightSums& sums, int32_t base, int32_t c, uint8_t* y) {
                   for (int32_t i = 0; i < 4; ++i) {
                     const dsp::Threshold* pair = constants + c + 2 * i;
                     if (c + 2 * i < p.channels) {
                       *y++ = static_cast<uint8_t>(dsp::requantize(p, sums.a[i] + base, pair[0]));
                     }
                     if (c + 2 * i + 1 < p.channels) {
                       const int32_t of_b = sums.both[i] - sums.a[i] + 256 * base;
                       *y++ = static_cast<uint8_t>(dsp::requantize(dsp::of_b(p), of_b, pair[1]));
                     }
                   }
                 });
}

}  // namespace opsmith::fully_connected::u8
