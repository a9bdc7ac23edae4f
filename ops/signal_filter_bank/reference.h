// SignalFilterBank, the definition.
#pragma once

#include "signal_filter_bank.op.h"

namespace opsmith::signal_filter_bank {

// A weight times a bin, modulo 2^64; the sign of a weight goes all the way up.
inline uint64_t weighed(int16_t weight, uint32_t bin) {
  return static_cast<uint64_t>(static_cast<int64_t>(weight)) * bin;
}

// What a band gives to its own channel, and to the next. There is no channel for band 0.
template <class P>
void reference(const P& p, const In& in, const Out& out, const Tables& tables) {
  uint64_t own = 0;
  for (int32_t band = 0; band <= p.num_channels; ++band) {
    const uint32_t* x = in.x + tables.starts[band];
    const int16_t* weights = tables.weights + tables.weight_starts[band];
    const int16_t* unweights = tables.unweights + tables.weight_starts[band];
    uint64_t next = 0;
    for (int32_t i = 0; i < tables.widths[band]; ++i) {
      own += weighed(weights[i], x[i]);
      next += weighed(unweights[i], x[i]);
    }
    if (band > 0) out.y[band - 1] = own;
    own = next;
  }
}

}  // namespace opsmith::signal_filter_bank
