// Dilate, the definition (tensorflow/lite/kernels/dilate.cc).
#pragma once

#include "dilate.op.h"

namespace opsmith::dilate {

// Writes what x has from this axis on. Returns the end of what it has read.
template <int Axis, class P, class T>
const T* write_axis(const P& p, const T* x, T* y) {
  if constexpr (Axis == sizeof(p.size) / sizeof(p.size[0])) {
    *y = *x;
    return x + 1;
  } else {
    for (int32_t i = 0; i < p.size[Axis]; ++i) {
      x = write_axis<Axis + 1>(p, x, y + i * p.step[Axis]);
    }
    return x;
  }
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = in.padding[0];
  write_axis<0>(p, in.x, out.y);
}

}  // namespace opsmith::dilate
