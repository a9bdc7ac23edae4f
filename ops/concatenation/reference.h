// Concatenation, the definition (tensorflow/lite/kernels/internal/reference/concatenation.h).
#pragma once

#include <string.h>

#include "concatenation.op.h"

namespace opsmith::concatenation {

// Tensor by tensor, so that each is read from start to end.
template <class S, class T>
void concatenate(const S& s, const T* const* x, const int32_t* elements, T* y) {
  int32_t row = 0;
  for (int32_t i = 0; i < s.count; ++i) row += elements[i];
  for (int32_t i = 0; i < s.count; ++i) {
    const T* from = x[i];
    T* to = y;
    for (int32_t j = 0; j < s.rows; ++j) {
      memcpy(to, from, static_cast<size_t>(elements[i]) * sizeof(T));
      from += elements[i];
      to += row;
    }
    y += elements[i];
  }
}

}  // namespace opsmith::concatenation
