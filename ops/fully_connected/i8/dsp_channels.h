// Rows by the weights of eight channels at a time, for dsp.h and dsp_long.h.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_padding.h"
#include "runtimes/cmsis/dsp_rows.h"

namespace opsmith::fully_connected::i8 {

// Calls f(sums, first channel, count, y) for up to eight channels of each row.
template <class P, class F>
void for_each_eight(const P& p, const int8_t* x, const int8_t* packed, int8_t* copy, int8_t* y,
                    F f) {
  const int32_t depth = p.padded_depth;
  for (int32_t row = 0; row < p.rows; ++row, y += p.channels) {
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(packed);
    const int8_t* inputs = dsp::whole_words(x + row * p.depth, p.depth, depth, copy);
    for (int32_t c = 0; c < p.channels; c += 8) {
      dsp::EightSums sums;
      weights = dsp::eight_channels(inputs, inputs + depth, weights, sums);
      f(sums, c, y + c);
    }
  }
}

}  // namespace opsmith::fully_connected::i8
