// Needs the DSP extension. Fast because each four inputs that are loaded serve two output channels,
// and SMLAD adds two products at once. For sums that dsp.h has no constants for: it
// requantises in double precision, as the reference does.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/dsp_padding.h"
#include "runtimes/core/rounding.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void dsp_double(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                const DoubleTables& tables, const DspDoubleScratch& scratch) {
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const int8_t* x = dsp::whole_words(in.x + row * p.depth, p.depth, p.padded_depth, scratch.row);
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.weights);
    for (int32_t c = 0; c < p.channels; c += 2) {
      int32_t sums[2] = {tables.bias[c], tables.bias[c + 1]};
      for (int32_t i = 0; i < p.depth; i += 4, weights += 2) {
        const uint32_t word = dsp::load_word(x + i);
        const uint32_t even = dsp::sxtb16(word);
        const uint32_t odd = dsp::sxtb16_ror8(word);
        sums[0] = dsp::smlad(dsp::sxtb16(weights[0]), even, sums[0]);
        sums[1] = dsp::smlad(dsp::sxtb16_ror8(weights[0]), even, sums[1]);
        sums[0] = dsp::smlad(dsp::sxtb16(weights[1]), odd, sums[0]);
        sums[1] = dsp::smlad(dsp::sxtb16_ror8(weights[1]), odd, sums[1]);
      }
      for (int32_t i = 0; i < 2 && c + i < p.channels; ++i) {
        const double scale = tables.scale[p.per_channel ? c + i : 0];
        const int32_t scaled = round_half_away(static_cast<double>(sums[i]) * scale);
        *y++ = dsp::clamped(p, scaled + p.output_zero_point);
      }
    }
  }
}

}  // namespace opsmith::fully_connected::i8
