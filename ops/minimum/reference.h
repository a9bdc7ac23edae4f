// Minimum, the definition (tensorflow/lite/kernels/internal/reference/maximum_minimum.h).
#pragma once

#include "minimum.op.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::minimum {

// Of two elements of which one is NaN, b.
template <class P, class T>
void least(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [](T a, T b) { return a < b ? a : b; });
}

template <class P>
void minimum_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  least(p, in, out);
}

template <class P>
void minimum_i16_reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  least(p, in, out);
}

template <class P>
void minimum_i32_reference(const P& p, const In<int32_t>& in, const Out<int32_t>& out) {
  least(p, in, out);
}

template <class P>
void minimum_f32_reference(const P& p, const In<float>& in, const Out<float>& out) {
  least(p, in, out);
}

}  // namespace opsmith::minimum
