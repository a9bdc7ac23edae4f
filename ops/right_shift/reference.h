// RightShift, the definition (tensorflow/lite/kernels/right_shift.cc).
#pragma once

#include "right_shift.op.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::right_shift {

template <class T>
constexpr T shifted(T a, T b) {
  constexpr T kMost = sizeof(T) * 8 - 1;
  const T by = b > kMost ? kMost : b;
  return by < 0 ? a : static_cast<T>(a >> by);
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, shifted<T>);
}

}  // namespace opsmith::right_shift
