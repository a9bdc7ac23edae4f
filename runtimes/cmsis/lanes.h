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

// The smaller one.
inline uint32_t min_bytes(uint32_t a, uint32_t b) {
  uint32_t result;
  __asm("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(result) : "r"(a), "r"(b) : "cc");
  return result;
}

// y[i] = f(a[i], b[i]), where f takes words of four bytes. Four are read before they are written.
template <class F>
void for_each_word(int32_t elements, const int8_t* a, const int8_t* b, int8_t* y, F f) {
  for (; elements >= 4; elements -= 4, a += 4, b += 4, y += 4) {
    store_word(y, f(load_word(a), load_word(b)));
  }
  for (int32_t i = 0; i < elements; ++i) {
    y[i] = static_cast<int8_t>(f(static_cast<uint8_t>(a[i]), static_cast<uint8_t>(b[i])));
  }
}

}  // namespace opsmith::dsp
