// Concatenation, the definition (tensorflow/lite/kernels/internal/reference/concatenation.h).
#pragma once

#include <string.h>

#include "concatenation.op.h"

namespace opsmith::concatenation {

// Tensor by tensor, so that each is read from start to end.
template <class P, class T>
void concatenate(const P& p, const T* const* x, const int32_t* elements, T* y) {
  int32_t row = 0;
  for (int32_t i = 0; i < p.count; ++i) row += elements[i];
  for (int32_t i = 0; i < p.count; ++i) {
    const T* from = x[i];
    T* to = y;
    for (int32_t j = 0; j < p.rows; ++j) {
      memcpy(to, from, static_cast<size_t>(elements[i]) * sizeof(T));
      from += elements[i];
      to += row;
    }
    y += elements[i];
  }
}

}  // namespace opsmith::concatenation
