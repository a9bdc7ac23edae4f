// SignalPCAN, the definition.
#pragma once

#include "signal_pcan.op.h"

namespace opsmith::signal_pcan {

// How many binary digits x has.
inline int32_t binary_digits(uint32_t x) {
  int32_t digits = 0;
  for (; x != 0; x >>= 1) ++digits;
  return digits;
}

// A parabola over the ten bits that follow the first of the noise. Its start, slope and curvature
// are three of the four elements that the table has for that first bit.
inline int16_t gain_at(uint32_t noise, const int16_t* lut) {
  if (noise <= 2) return lut[noise];
  const int32_t digits = binary_digits(noise);
  const uint32_t aligned = digits < 11 ? noise << (11 - digits) : noise >> (digits - 11);
  const int32_t fraction = static_cast<int32_t>(aligned & 0x3FF);
  const int16_t* parabola = lut + 4 * digits - 6;
  const int32_t slope = parabola[1] * 32 + ((parabola[2] * fraction) >> 5);
  const uint32_t rise = static_cast<uint32_t>(slope) * static_cast<uint32_t>(fraction);
  const int32_t rounded = static_cast<int32_t>(rise + (uint32_t{1} << 14)) >> 15;
  return static_cast<int16_t>(parabola[0] + rounded);
}

// x^2 / 4 below 2 and x - 1 above, of 12 fraction bits into 6.
inline uint32_t shrink(uint32_t x) {
  return x < uint32_t{2} << 12 ? (x * x) >> 20 : (x >> 6) - (uint32_t{1} << 6);
}

template <class P>
void reference(const P& p, const In& in, const Out& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const int32_t gain = gain_at(in.noise_estimate[i], in.gain_lut);
    const uint64_t scaled = uint64_t{in.x[i]} * static_cast<uint32_t>(gain);
    out.y[i] = shrink(static_cast<uint32_t>(scaled >> p.snr_shift));
  }
}

}  // namespace opsmith::signal_pcan
