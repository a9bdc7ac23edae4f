// SquaredDifference, the definition (tensorflow/lite/kernels/squared_difference.cc).
#pragma once

#include "runtimes/families/binary.h"
#include "squared_difference.op.h"

namespace opsmith::squared_difference {

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  binary::elements<binary::SquaredDifference>(p, in.a, in.b, out.y);
}

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  binary::elements<binary::SquaredDifference>(p, in.a, in.b, out.y);
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, binary::SquaredDifference{});
}

}  // namespace opsmith::squared_difference
