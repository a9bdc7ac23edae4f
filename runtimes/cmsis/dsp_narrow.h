// What kernels of int16 activations and int8 weights share that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/narrow.h"

namespace opsmith::dsp {

// sum + low(a) * low(b) + high(a) * high(b)
inline int64_t smlald(uint32_t a, uint32_t b, int64_t sum) {
  __asm("smlald %Q0, %R0, %1, %2" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// sum + low(a) * high(b)
inline int32_t smlabt(uint32_t a, uint32_t b, int32_t sum) {
  __asm("smlabt %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

// A value clamped to the activation within int16; one SSAT where that is all of int16, one USAT
// after a ReLU.
template <class P>
int16_t clamped16(const P& p, int32_t value) {
  if (p.activation_min == 0 && p.activation_max == 32767) {
    return static_cast<int16_t>(__usat(value, 15));
  }
  const int32_t saturated = __ssat(value, 16);
  if (p.activation_min == -32768 && p.activation_max == 32767) {
    return static_cast<int16_t>(saturated);
  }
  return static_cast<int16_t>(clamp(saturated, p.activation_min, p.activation_max));
}

// A sum that began with the channel's bias as an output.
template <class P>
int16_t narrowed(const P& p, int32_t sum, int32_t multiplier) {
  return clamped16(p, smmulr(sum, multiplier));
}

// round(sum * multiplier / 2^shift), ties up, clamped to the activation, for a multiplier of at
// least 0: narrowed() of runtimes/core/narrow.h by UMLAL and MLA. Of a product of 64 bits by a
// constant GCC makes twenty shifts and sums.
template <class P>
int16_t narrowed(const P& p, int64_t sum, int32_t multiplier, int32_t shift) {
  const uint64_t half = uint64_t{1} << (shift - 1);
  uint32_t low = static_cast<uint32_t>(half), high = static_cast<uint32_t>(half >> 32);
  __asm("umlal %0, %1, %2, %4\n\tmla %1, %3, %4, %1"
        : "+&r"(low), "+&r"(high)
        : "r"(static_cast<uint32_t>(sum)), "r"(static_cast<int32_t>(sum >> 32)), "r"(multiplier));
  const int64_t scaled = static_cast<int64_t>(static_cast<uint64_t>(high) << 32 | low);
  return clamped16(p, static_cast<int32_t>(scaled >> shift));
}

}  // namespace opsmith::dsp
