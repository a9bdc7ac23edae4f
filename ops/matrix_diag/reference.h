// MatrixDiag, the definition (tensorflow/lite/kernels/matrix_diag.cc).
#pragma once

#include "matrix_diag.op.h"

namespace opsmith::matrix_diag {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  const T* x = in.x;
  T* y = out.y;
  for (int32_t row = 0; row < p.rows * p.depth; ++row, ++x) {
    for (int32_t i = 0; i < p.depth; ++i) *y++ = i == row % p.depth ? *x : T{};
  }
}

}  // namespace opsmith::matrix_diag
