// The DSP extension of Armv7E-M and Armv8-M as functions, for kernels that need it.
#pragma once

#include <arm_acle.h>
#include <stdint.h>
#include <string.h>

namespace opsmith::dsp {

// Four bytes from any address: one LDR, since the cores that have DSP allow it unaligned.
inline uint32_t load_word(const void* address) {
  uint32_t word;
  memcpy(&word, address, sizeof word);
  return word;
}

// Bytes 0 and 2 as two signed halfwords.
inline uint32_t sxtb16(uint32_t bytes) {
  uint32_t halves;
  __asm("sxtb16 %0, %1" : "=r"(halves) : "r"(bytes));
  return halves;
}

// Bytes 1 and 3 as two signed halfwords. The intrinsic and a rotation would be two instructions.
inline uint32_t sxtb16_ror8(uint32_t bytes) {
  uint32_t halves;
  __asm("sxtb16 %0, %1, ror #8" : "=r"(halves) : "r"(bytes));
  return halves;
}

// sum + low(a) * low(b) + high(a) * high(b)
inline int32_t smlad(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// sum + half(a) * half(b): bottom or top half of each.
inline int32_t smlabb(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlabb %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}
inline int32_t smlabt(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlabt %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}
inline int32_t smlatb(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlatb %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}
inline int32_t smlatt(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlatt %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// round(a * b / 2^32), ties up.
inline int32_t smmulr(int32_t a, int32_t b) {
  int32_t result;
  __asm("smmulr %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

// How the sums of one output channel become outputs.
struct Channel {
  int32_t multiplier;  // Q31
  int32_t offset;      // half of 2^shift, and the zero point times 2^shift
  int32_t shift;       // to the right
};

// sum * multiplier * 2^(-31 - shift) + zero point with TFLite's double rounding, not yet clamped.
//
// For shift >= 1 and |sum| < 2^30, which the op proves at build time. SMMULR of twice the sum is
// then the doubling high multiplication: no saturation, and both round ties up. Dividing by 2^shift
// with ties away from zero is an addition of half, less one for negative numbers, and a shift.
inline int32_t requantize(int32_t sum, const Channel& channel) {
  const int32_t twice = static_cast<int32_t>(static_cast<uint32_t>(sum) << 1);
  const int32_t scaled = smmulr(twice, channel.multiplier);
  return (scaled + (scaled >> 31) + channel.offset) >> channel.shift;
}

// A value clamped to [low, high] within int8; one SSAT where the range is int8's own.
template <class S>
int8_t clamped(const S& s, int32_t value) {
  if (s.activation_min == -128 && s.activation_max == 127) {
    return static_cast<int8_t>(__ssat(value, 8));
  }
  const int32_t low = value < s.activation_min ? s.activation_min : value;
  return static_cast<int8_t>(low > s.activation_max ? s.activation_max : low);
}

}  // namespace opsmith::dsp
