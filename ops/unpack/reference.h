// Unpack, the definition (tensorflow/lite/kernels/unpack.cc).
#pragma once

#include "unpack.op.h"
#include "runtimes/core/side_by_side.h"

namespace opsmith::unpack {

template <class P, class T>
void take(const P& p, const T* x, const int32_t* elements, T* const* y) {
  take_apart(p.rows, p.count, elements, x, y);
}

}  // namespace opsmith::unpack
