// SignalFftAutoScale, the definition.
#pragma once

#include "signal_fft_auto_scale.op.h"

namespace opsmith::signal_fft_auto_scale {

// The largest magnitude as 16 bits hold it: that of -32768 is -32768.
inline int16_t largest_magnitude(const int16_t* x, int32_t elements) {
  int16_t largest = 0;
  for (int32_t i = 0; i < elements; ++i) {
    if (x[i] > largest) {
      largest = x[i];
    } else if (-x[i] > largest) {
      largest = static_cast<int16_t>(-x[i]);
    }
  }
  return largest;
}

// How far it can go left within 15 bits.
inline int32_t headroom(int16_t largest) {
  int32_t bits = 0;
  if (largest <= 0) return bits;
  while (largest < 1 << 14) {
    largest = static_cast<int16_t>(largest * 2);
    ++bits;
  }
  return bits;
}

template <class P>
void signal_fft_auto_scale_reference(const P& p, const In& in, const Out& out) {
  const int32_t bits = headroom(largest_magnitude(in.x, p.elements));
  const int32_t factor = 1 << bits;
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = static_cast<int16_t>(in.x[i] * factor);
  *out.bits = bits;
}

}  // namespace opsmith::signal_fft_auto_scale
