// Add, the definition (add.h and integer_ops/add.h of
// tensorflow/lite/kernels/internal/reference).
#pragma once

#include "add.op.h"
#include "runtimes/families/binary.h"

namespace opsmith::add {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  binary::elements<binary::Sum>(p, in.a, in.b, out.y);
}

}  // namespace opsmith::add
