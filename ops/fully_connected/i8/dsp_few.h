// Needs the DSP extension. Fast because SMLAD adds two products at once; for fewer channels than
// dsp.h computes together.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_dot.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void dsp_few(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PackedMatrix& tables) {
  const auto* constants = rule_or<LongThreshold>(p, tables.requantization);
  const int32_t depth = p.depth, channels = p.channels;
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row, x += depth) {
    for (int32_t c = 0; c < channels; ++c) {
      *y++ = dsp::requantize(p, dsp::dot(x, tables.weights + c * depth, depth), constants[c]);
    }
  }
}

}  // namespace opsmith::fully_connected::i8
