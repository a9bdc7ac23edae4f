// The logistic function of int16 from 256 samples of it: sigmoid.h in OpenCL C.

// x at the scale of the samples: |x| <= 2^15, a multiplier of 16 bits, ties up.
INLINE int sample_position(int x, int multiplier, int shift) {
  const int half_unit = shift > 0 ? 1 << (shift - 1) : 0;
  return (x * multiplier + half_unit) >> shift;
}

// The function at `position` / 2^bits samples after 0, times 2^(16 + bits); `most` after the last.
INLINE uint sigmoid(uint position, uint bits, uint most, const __global uint16_t* samples) {
  const uint whole = position >> bits;
  if (whole >= 255) return most;
  const uint rest = position & ((1u << bits) - 1);
  const uint value = samples[whole];
  return (value << bits) + rest * (samples[whole + 1] - value);
}

// The logistic function in Q0.15 at a position of 9 bits between samples.
INLINE int16_t logistic_at(int position, const __global uint16_t* samples) {
  const uint found = sigmoid(abs(position), 9, 0x7fff << 10, samples);
  const uint rounded = position < 0 ? (1 << 25) - found + (1 << 9) - 1 : found + (1 << 9);
  return (int16_t)(rounded >> 10);
}

// tanh(x) = 2 logistic(2 x) - 1 in Q0.15 at a position of 8 bits.
INLINE int16_t tangent_at(int position, const __global uint16_t* samples) {
  const uint found = sigmoid(abs(position), 8, 0xffff << 8, samples);
  const int above = (int)found - (1 << 23);
  return (int16_t)((position < 0 ? (1 << 7) - 1 - above : above + (1 << 7)) >> 8);
}
