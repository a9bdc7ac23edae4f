// Bounded, the definition.
#pragma once

#include "bounded.op.h"

namespace opsmith::bounded {

template <class P, class T>
void bound(const P& p, const In<T>& in, const Out<T>& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const int32_t x = in.x[i];
    out.y[i] = static_cast<T>(x < p.low ? p.low : x > p.high ? p.high : x);
  }
}

template <class P>
void bounded_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  bound(p, in, out);
}

template <class P>
void bounded_i16_reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  bound(p, in, out);
}

}  // namespace opsmith::bounded
