// Maximum, the definition (tensorflow/lite/kernels/internal/reference/maximum_minimum.h).
#pragma once

#include "maximum.op.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::maximum {

// b where either element is NaN.
template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [](T a, T b) { return a > b ? a : b; });
}

}  // namespace opsmith::maximum
