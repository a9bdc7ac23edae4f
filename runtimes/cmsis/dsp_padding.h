// Rows in whole words, for kernels that require `dsp`; dsp_padding.py has the sizes.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith::dsp {

// A row, or a copy of it if it is no whole words: what is after its elements meets weights of zero.
template <class T>
const T* whole_words(const T* row, int32_t size, int32_t padded, T* copy) {
  if (size == padded) return row;
  memcpy(copy, row, static_cast<size_t>(size) * sizeof(T));
  return copy;
}

}  // namespace opsmith::dsp
