// Needs the DSP extension. Fast because a word has two samples, whose products SMULBB and SMULTT
// take from it, and because SSAT clamps.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "signal_window.op.h"

namespace opsmith::signal_window {

template <class P>
int32_t weighed(const P& p, int16_t sample, int16_t weight) {
  return __ssat((int32_t{sample} * weight) >> p.shift, 16);
}

template <class P>
void dsp(const P& p, const In& in, const Out& out) {
  const int16_t* x = in.x;
  int16_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const int16_t* weights = in.weights;
    for (int32_t i = p.depth / 2; i > 0; --i, x += 2, weights += 2, y += 2) {
      const uint32_t samples = dsp::load_word(x), factors = dsp::load_word(weights);
      const int32_t low = weighed(p, static_cast<int16_t>(samples), static_cast<int16_t>(factors));
      const int32_t high =
          weighed(p, static_cast<int16_t>(samples >> 16), static_cast<int16_t>(factors >> 16));
      dsp::store_word(y, dsp::pkhbt(static_cast<uint32_t>(low), static_cast<uint32_t>(high)));
    }
    if (p.depth % 2 != 0) *y++ = static_cast<int16_t>(weighed(p, *x++, *weights));
  }
}

}  // namespace opsmith::signal_window
