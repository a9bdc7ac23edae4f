// What both kernels of FirPeak do around their sums.
#pragma once

#include <string.h>

#include "fir_peak.op.h"

namespace opsmith::fir_peak {

// Puts the samples of earlier frames and this frame one after the other, and keeps what the next
// frame needs. Returns where the sum of the first sample begins.
template <class P>
const int16_t* samples(const P& p, const In& in, int16_t* window, const State& state) {
  const int32_t before = p.taps > 1 ? p.taps - 1 : 1;
  memcpy(window, state.history, before * sizeof(int16_t));
  memcpy(window + before, in.x, p.samples * sizeof(int16_t));
  memcpy(state.history, window + p.samples, before * sizeof(int16_t));
  return window + before - (p.taps - 1);
}

// Rounds a sum to a sample; returns its magnitude.
inline int32_t store(int32_t sum, int32_t shift, int16_t* y) {
  const int32_t rounded = (sum + (1 << (shift - 1))) >> shift;
  *y = static_cast<int16_t>(rounded > INT16_MAX   ? INT16_MAX
                            : rounded < INT16_MIN ? INT16_MIN
                                                  : rounded);
  return *y < 0 ? -*y : *y;
}

}  // namespace opsmith::fir_peak
