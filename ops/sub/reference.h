// Sub, the definition (tensorflow/lite/kernels/internal/reference/sub.h).
#pragma once

#include "runtimes/families/binary.h"
#include "sub.op.h"

namespace opsmith::sub {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  binary::elements<binary::Difference>(p, in.a, in.b, out.y);
}

}  // namespace opsmith::sub
