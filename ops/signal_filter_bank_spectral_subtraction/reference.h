// SignalFilterBankSpectralSubtraction, the definition.
#pragma once

#include "signal_filter_bank_spectral_subtraction.op.h"

namespace opsmith::signal_filter_bank_spectral_subtraction {

// Products are of 64 bits; what is stored of them is of 32 and wraps.
template <class P>
void reference(const P& p, const In& in, const Out& out, const State& state) {
  for (int32_t i = 0; i < p.num_channels; ++i) {
    const uint64_t rise = static_cast<uint32_t>(p.smoothing[i & 1]);
    const uint64_t keep = static_cast<uint32_t>(p.one_minus_smoothing[i & 1]);
    const uint32_t signal = in.x[i] << p.smoothing_bits;
    const uint32_t estimate = static_cast<uint32_t>((signal * rise + state.noise[i] * keep) >>
                                                    p.spectral_subtraction_bits);
    const uint32_t capped = estimate < signal ? estimate : signal;
    const uint32_t share = static_cast<uint32_t>(p.min_signal_remaining);
    const uint32_t least =
        static_cast<uint32_t>((uint64_t{in.x[i]} * share) >> p.spectral_subtraction_bits);
    const uint32_t left = (signal - capped) >> p.smoothing_bits;
    state.noise[i] = p.clamping ? capped : estimate;
    out.noise_estimate[i] = state.noise[i];
    out.y[i] = left > least ? left : least;
  }
}

}  // namespace opsmith::signal_filter_bank_spectral_subtraction
