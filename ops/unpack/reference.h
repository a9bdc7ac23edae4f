// Unpack, the definition (tensorflow/lite/kernels/unpack.cc).
#pragma once

#include "unpack.op.h"
#include "runtimes/core/side_by_side.h"

namespace opsmith::unpack {

template <class S, class T>
void take(const S& s, const T* x, const int32_t* elements, T* const* y) {
  take_apart(s.rows, s.count, elements, x, y);
}

}  // namespace opsmith::unpack
