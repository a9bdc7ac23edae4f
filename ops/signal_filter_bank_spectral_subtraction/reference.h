// SignalFilterBankSpectralSubtraction, the definition.
#pragma once

#include "signal_filter_bank_spectral_subtraction.op.h"

namespace opsmith::signal_filter_bank_spectral_subtraction {

// Products are of 64 bits; what is stored of them is of 32 and wraps.
template <class S>
void signal_filter_bank_spectral_subtraction_reference(const S& s, const In& in, const Out& out,
                                                       const State& state) {
  for (int32_t i = 0; i < s.channels; ++i) {
    const uint64_t rise = static_cast<uint32_t>(s.smoothing[i & 1]);
    const uint64_t keep = static_cast<uint32_t>(s.one_minus_smoothing[i & 1]);
    const uint32_t signal = in.x[i] << s.smoothing_bits;
    const uint32_t estimate =
        static_cast<uint32_t>((signal * rise + state.noise[i] * keep) >> s.factor_bits);
    const uint32_t capped = estimate < signal ? estimate : signal;
    const uint32_t least =
        static_cast<uint32_t>((uint64_t{in.x[i]} * s.min_signal_remaining) >> s.factor_bits);
    const uint32_t left = (signal - capped) >> s.smoothing_bits;
    state.noise[i] = s.clamping ? capped : estimate;
    out.noise_estimate[i] = state.noise[i];
    out.y[i] = left > least ? left : least;
  }
}

}  // namespace opsmith::signal_filter_bank_spectral_subtraction
