// BitwiseXor, the definition (tensorflow/lite/kernels/bitwise_xor.cc).
#pragma once

#include "bitwise_xor.op.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::bitwise_xor {

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [](T a, T b) { return static_cast<T>(a ^ b); });
}

}  // namespace opsmith::bitwise_xor
