// SignalWindow, the definition.
#pragma once

#include "runtimes/core/fixed_point.h"
#include "signal_window.op.h"

namespace opsmith::signal_window {

// The product of two 16-bit values fits 32 bits, -2^15 squared among them.
template <class P>
void reference(const P& p, const In& in, const Out& out) {
  const int16_t* x = in.x;
  int16_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    for (int32_t i = 0; i < p.depth; ++i) {
      const int32_t product = int32_t{*x++} * in.weights[i];
      *y++ = static_cast<int16_t>(clamp(product >> p.shift, INT16_MIN, INT16_MAX));
    }
  }
}

}  // namespace opsmith::signal_window
