// SparseToDense, the definition (tensorflow/lite/kernels/internal/reference/reference_ops.h).
#pragma once

#include "runtimes/families/movement.h"
#include "sparse_to_dense.op.h"

namespace opsmith::sparse_to_dense {

template <class P, class T, class I>
void reference(const P& p, const In<T, I>& in, const Out<T, I>& out) {
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = in.rest[0];
  for (int32_t i = 0; i < p.tuples; ++i) {
    out.y[movement::position(p, in.indices, i)] = in.x[i * p.step];
  }
}

}  // namespace opsmith::sparse_to_dense
