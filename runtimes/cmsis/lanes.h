// Four neighbouring bytes at a time, for the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::dsp {

// The same as opsmith::Lanes: two instructions add four bytes to four sums.
struct Lanes {
  uint32_t even = 0;  // bytes 0 and 2
  uint32_t odd = 0;   // bytes 1 and 3

  void add_word(const int8_t* x) {
    const uint32_t word = load_word(x);
    even = sxtab16(even, word);
    odd = sxtab16_ror8(odd, word);
  }

  void drain(int32_t, int32_t (&sums)[4]) const {
    sums[0] += static_cast<int16_t>(even);
    sums[1] += static_cast<int16_t>(odd);
    sums[2] += static_cast<int32_t>(even) >> 16;
    sums[3] += static_cast<int32_t>(odd) >> 16;
  }
};

// The larger byte of each pair of signed bytes.
inline uint32_t max_bytes(uint32_t a, uint32_t b) {
  uint32_t result;
  __asm("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(result) : "r"(a), "r"(b) : "cc");
  return result;
}

}  // namespace opsmith::dsp
