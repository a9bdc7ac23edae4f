// SignalEnergy, the definition.
#pragma once

#include <string.h>

#include "signal_energy.op.h"

namespace opsmith::signal_energy {

// The sum of two squares needs all 32 bits: that of twice -32768 is 2^31.
template <class P>
void reference(const P& p, const In& in, const Out& out) {
  memset(out.y, 0, static_cast<size_t>(p.elements) * sizeof(uint32_t));
  for (int32_t i = p.start_index; i < p.end_index; ++i) {
    const int32_t real = in.x[2 * i];
    const int32_t imaginary = in.x[2 * i + 1];
    out.y[i] = static_cast<uint32_t>(real * real) + static_cast<uint32_t>(imaginary * imaginary);
  }
}

}  // namespace opsmith::signal_energy
