// Neg of integers, the definition.
#pragma once

#include "neg.op.h"
#include "runtimes/families/unary.h"

namespace opsmith::neg {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  unary::of_each(p, in.x, out.y, [](T x) { return static_cast<T>(0 - static_cast<uint64_t>(x)); });
}

}  // namespace opsmith::neg
