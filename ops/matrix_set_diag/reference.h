// MatrixSetDiag, the definition (tensorflow/lite/kernels/matrix_set_diag.cc).
#pragma once

#include "matrix_set_diag.op.h"

namespace opsmith::matrix_set_diag {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  const T* x = in.x;
  const T* diagonal = in.diagonal;
  T* y = out.y;
  for (int32_t first = 0; first < p.rows; first += p.height) {
    for (int32_t row = 0; row < p.height; ++row) {
      for (int32_t column = 0; column < p.depth; ++column, ++x) {
        *y++ = row == column ? *diagonal++ : *x;
      }
    }
  }
}

}  // namespace opsmith::matrix_set_diag
