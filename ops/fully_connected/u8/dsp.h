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
                 [&](const int32_t* sums, int32_t base, int32_t c, uint8_t* y) {
                   for (int32_t i = 0; i < 8 && c + i < p.channels; ++i) {
                     *y++ =
                         static_cast<uint8_t>(dsp::requantize(p, sums[i] + base, constants[c + i]));
                   }
                 });
}

}  // namespace opsmith::fully_connected::u8
