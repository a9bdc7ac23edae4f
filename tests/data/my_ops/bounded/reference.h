// Bounded, the definition.
#pragma once

#include "bounded.op.h"

namespace opsmith::bounded {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const int32_t x = in.x[i];
    out.y[i] = static_cast<T>(x < p.low ? p.low : x > p.high ? p.high : x);
  }
}

}  // namespace opsmith::bounded
