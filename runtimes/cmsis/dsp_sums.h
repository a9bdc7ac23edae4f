// Sums of windows of uint8 as further inputs, for kernels that require `dsp`: what the zero point
// of the weights adds is a multiple of them.
#pragma once

#include "runtimes/cmsis/dsp_columns.h"

namespace opsmith::dsp {

// Fills the last word of a window of `size` bytes, which become int8, 128 less, with what adds
// nothing to their sum; the inputs are copied over it.
inline void fill_up(int8_t* window, int32_t size) { store_word(window + size - 4, 0x80808080); }

// Appends the sums of the inputs of four pixels, which are `words` words of their columns, each in
// as many halfwords as it takes: `more` words of all.
inline void append_sums(uint32_t* columns, int32_t words, int32_t more) {
  for (int32_t k = 0; k < kPixels; ++k, ++columns) {
    int32_t sum = 0;
    for (int32_t i = 0; i < words; i += kPixels) sum = smlad(columns[i], 0x10001, sum);
    for (int32_t i = words; i < words + more; i += kPixels) {
      const int32_t low = __ssat(sum, 16), high = __ssat(sum - low, 16);
      columns[i] = pkhbt(static_cast<uint32_t>(low), static_cast<uint32_t>(high));
      sum -= low + high;
    }
  }
}

}  // namespace opsmith::dsp
