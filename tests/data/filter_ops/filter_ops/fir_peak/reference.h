// FirPeak, the definition.
#pragma once

#include "fir_peak/window.h"

namespace opsmith::fir_peak {

template <class P>
void reference(const P& p, const In& in, const Out& out, const Tables& tables,
               const ReferenceScratch& scratch, const State& state) {
  const int16_t* x = samples(p, in, scratch.window, state);
  int32_t peak = 0;
  for (int32_t i = 0; i < p.samples; ++i) {
    int32_t sum = 0;
    for (int32_t t = 0; t < p.taps; ++t) sum += x[i + t] * tables.reversed_taps[t];
    const int32_t size = store(sum, p.shift, out.y + i);
    if (size > peak) peak = size;
  }
  out.peak[0] = peak;
}

}  // namespace opsmith::fir_peak
