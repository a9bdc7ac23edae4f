// Pack, the definition (tensorflow/lite/kernels/pack.cc).
#pragma once

#include "pack.op.h"
#include "runtimes/core/side_by_side.h"

namespace opsmith::pack {

template <class P, class T>
void put(const P& p, const T* const* x, const int32_t* elements, T* y) {
  put_together(p.rows, p.count, elements, x, y);
}

}  // namespace opsmith::pack
