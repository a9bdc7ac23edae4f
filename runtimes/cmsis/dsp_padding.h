// Rows in whole words, for kernels that require `dsp`; dsp_padding.py has the sizes.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith::dsp {

template <class T>
void copy_row(T* to, const T* row, int32_t size) {
  memcpy(to, row, static_cast<size_t>(size) * sizeof(T));
}

// A row, or a copy of it if it is no whole words: what is after its elements meets weights of zero.
template <class T>
const T* whole_words(const T* row, int32_t size, int32_t padded, T* copy) {
  if (size == padded) return row;
  copy_row(copy, row, size);
  return copy;
}

}  // namespace opsmith::dsp
