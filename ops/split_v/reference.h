// SplitV, the definition (tensorflow/lite/kernels/split_v.cc).
#pragma once

#include "split_v.op.h"
#include "runtimes/core/side_by_side.h"

namespace opsmith::split_v {

template <class S, class T>
void take(const S& s, const T* x, const int32_t* elements, T* const* y) {
  take_apart(s.rows, s.count, elements, x, y);
}

}  // namespace opsmith::split_v
