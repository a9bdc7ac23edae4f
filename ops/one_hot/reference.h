// OneHot, the definition (tensorflow/lite/kernels/one_hot.cc).
#pragma once

#include "one_hot.op.h"

namespace opsmith::one_hot {

// Only the lower 32 bits of a 64-bit index count.
template <class P, class I, class T>
void reference(const P& p, const In<I, T>& in, const Out<I, T>& out) {
  const I* x = in.x;
  T* y = out.y;
  for (int32_t outer = 0; outer < p.outer; ++outer, x += p.inner) {
    for (int32_t i = 0; i < p.depth; ++i) {
      for (int32_t inner = 0; inner < p.inner; ++inner) {
        *y++ = static_cast<int32_t>(x[inner]) == i ? in.on[0] : in.off[0];
      }
    }
  }
}

}  // namespace opsmith::one_hot
