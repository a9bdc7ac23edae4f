// Maximum, the definition.
#pragma once

#include "maximum.op.h"

namespace opsmith::maximum {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    out.y[i] = in.a[i] < in.b[i] ? in.b[i] : in.a[i];
  }
}

}  // namespace opsmith::maximum
