// Split, the definition (tensorflow/lite/kernels/split.cc).
#pragma once

#include "split.op.h"
#include "runtimes/core/side_by_side.h"

namespace opsmith::split {

template <class S, class T>
void take(const S& s, const T* x, const int32_t* elements, T* const* y) {
  take_apart(s.rows, s.count, elements, x, y);
}

}  // namespace opsmith::split
