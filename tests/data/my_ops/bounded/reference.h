// Bounded, the definition.
#pragma once

#include "bounded.op.h"

namespace opsmith::bounded {

template <class S, class T>
void bound(const S& s, const In<T>& in, const Out<T>& out) {
  for (int32_t i = 0; i < s.elements; ++i) {
    const int32_t x = in.x[i];
    out.y[i] = static_cast<T>(x < s.low ? s.low : x > s.high ? s.high : x);
  }
}

template <class S>
void bounded_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  bound(s, in, out);
}

template <class S>
void bounded_i16_reference(const S& s, const In<int16_t>& in, const Out<int16_t>& out) {
  bound(s, in, out);
}

}  // namespace opsmith::bounded
