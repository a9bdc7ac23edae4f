// FirPeak with the DSP extension: two products and both sums in one instruction (SMLAD).
#pragma once

#include <arm_acle.h>

#include "fir_peak/window.h"

namespace opsmith::fir_peak {

inline int16x2_t pair(const int16_t* at) {
  int16x2_t two;
  memcpy(&two, at, sizeof two);
  return two;
}

template <class P>
void dsp(const P& p, const In& in, const Out& out, const Tables& tables, const DspScratch& scratch,
         const State& state) {
  const int16_t* x = samples(p, in, scratch.window, state);
  int32_t peak = 0;
  for (int32_t i = 0; i < p.samples; ++i) {
    int32_t sum = 0, t = 0;
    for (; t + 1 < p.taps; t += 2) {
      sum = __smlad(pair(x + i + t), pair(tables.reversed_taps + t), sum);
    }
    if (t < p.taps) sum += x[i + t] * tables.reversed_taps[t];
    const int32_t size = store(sum, p.shift, out.y + i);
    if (size > peak) peak = size;
  }
  out.peak[0] = peak;
}

}  // namespace opsmith::fir_peak
