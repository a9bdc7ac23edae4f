// The sum of products of two rows of int8, for kernels of few output channels that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::dsp {

// sum + the products of four elements.
inline int32_t dot_word(uint32_t x, uint32_t w, int32_t sum) {
  sum = smlad(sxtb16(x), sxtb16(w), sum);
  return smlad(sxtb16_ror8(x), sxtb16_ror8(w), sum);
}

// The sum of N products. Loads in a row take half the time of loads apart. Static, so that also
// with -Os it is inlined where it is called once, and a constant N leaves one of its loops.
static inline int32_t dot(const int8_t* x, const int8_t* w, int32_t size) {
  int32_t sum = 0;
  for (; size >= 16; size -= 16, x += 16, w += 16) {
    const uint32_t x0 = load_word(x), x1 = load_word(x + 4), x2 = load_word(x + 8),
                   x3 = load_word(x + 12);
    const uint32_t w0 = load_word(w), w1 = load_word(w + 4), w2 = load_word(w + 8),
                   w3 = load_word(w + 12);
    sum = dot_word(x3, w3, dot_word(x2, w2, dot_word(x1, w1, dot_word(x0, w0, sum))));
  }
  for (; size >= 4; size -= 4, x += 4, w += 4) sum = dot_word(load_word(x), load_word(w), sum);
  for (; size > 0; --size) sum += *x++ * *w++;
  return sum;
}

}  // namespace opsmith::dsp
