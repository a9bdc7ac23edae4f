// Mul, the definition (mul.h and integer_ops/mul.h of
// tensorflow/lite/kernels/internal/reference).
#pragma once

#include "mul.op.h"
#include "runtimes/families/binary.h"

namespace opsmith::mul {

// Those of uint32 are not clamped.
template <class P>
void reference(const P& p, const In<uint32_t>& in, const Out<uint32_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, wrapping_product<uint32_t>);
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  binary::elements<binary::Product>(p, in.a, in.b, out.y);
}

}  // namespace opsmith::mul
