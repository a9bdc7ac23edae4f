// Needs the DSP extension. Fast as dsp.h is, for sums that it has no constants for: they are
// requantised in double precision, as the reference does.
#pragma once

#include "ops/fully_connected/u8/rows.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/rounding.h"

namespace opsmith::fully_connected::u8 {

template <class P>
void dsp_double(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out,
                const DoubleTables& tables, const DspDoubleScratch& scratch) {
  for_each_eight(p, in.x, tables, scratch.row, out.y,
                 [&](const dsp::EightSums& sums, int32_t base, int32_t c, uint8_t* y) {
                   for (int32_t i = 0; i < min(p.channels - c, 8); ++i) {
                     const int32_t sum = sums.of(i) + base + tables.bias[c + i];
                     const int32_t scaled =
                         round_half_away(static_cast<double>(sum) * tables.scale[0]);
                     y[i] = static_cast<uint8_t>(
                         clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
                   }
                 });
}

}  // namespace opsmith::fully_connected::u8
