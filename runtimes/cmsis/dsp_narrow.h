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

}  // namespace opsmith::dsp
