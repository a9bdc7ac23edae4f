// Sums of windows of uint8 as further inputs, for kernels that require `dsp`: what the zero point
// of the weights adds is a multiple of them.
#pragma once

#include "runtimes/cmsis/dsp_columns.h"

namespace opsmith::dsp {

// Fills the last word of a window of `size` bytes, which become int8, 128 less, with what adds
// nothing to their sum; the inputs are copied over it.
inline void fill_up(int8_t* window, int32_t size) { store_word(window + size - 4, 0x80808080); }

// Appends the sums of the inputs of four pixels, which are `words` words of their columns, each in
// as many halfwords as it takes: `more` words of all. Words of four pixels are neighbours, whose
// loads in a row take half the time of loads apart.
inline void append_sums(uint32_t* columns, int32_t words, int32_t more) {
  constexpr uint32_t kOnes = 0x10001;
  int32_t sums[kPixels] = {};
  const uint32_t* const end = columns + words;
  for (; columns != end; columns += 2 * kPixels) {
    for (int32_t k = 0; k < kPixels; ++k) {
      sums[k] = smlad(columns[k + kPixels], kOnes, smlad(columns[k], kOnes, sums[k]));
    }
  }
  for (int32_t k = 0; k < kPixels; ++k) {
    for (int32_t i = k; i < more; i += kPixels) {
      const int32_t low = __ssat(sums[k], 16), high = __ssat(sums[k] - low, 16);
      columns[i] = pkhbt(static_cast<uint32_t>(low), static_cast<uint32_t>(high));
      sums[k] -= low + high;
    }
  }
}

}  // namespace opsmith::dsp
