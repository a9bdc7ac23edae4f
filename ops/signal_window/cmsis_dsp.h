// Needs the DSP extension. Fast because a word has two samples, whose products SMULBB and SMULTT
// take from it, and because SSAT clamps.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "signal_window.op.h"

namespace opsmith::signal_window {

template <class S>
int32_t weighed(const S& s, int16_t sample, int16_t weight) {
  return __ssat((int32_t{sample} * weight) >> s.shift, 16);
}

template <class S>
void signal_window_cmsis_dsp(const S& s, const In& in, const Out& out) {
  const int16_t* x = in.x;
  int16_t* y = out.y;
  for (int32_t row = 0; row < s.rows; ++row) {
    const int16_t* weights = in.weights;
    for (int32_t i = s.width / 2; i > 0; --i, x += 2, weights += 2, y += 2) {
      const uint32_t samples = dsp::load_word(x), factors = dsp::load_word(weights);
      const int32_t low = weighed(s, static_cast<int16_t>(samples), static_cast<int16_t>(factors));
      const int32_t high =
          weighed(s, static_cast<int16_t>(samples >> 16), static_cast<int16_t>(factors >> 16));
      dsp::store_word(y, dsp::pkhbt(static_cast<uint32_t>(low), static_cast<uint32_t>(high)));
    }
    if (s.width % 2 != 0) *y++ = static_cast<int16_t>(weighed(s, *x++, *weights));
  }
}

}  // namespace opsmith::signal_window
