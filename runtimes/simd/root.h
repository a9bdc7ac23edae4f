// The square root of float32 by an instruction. Freestanding C++17.
#pragma once

#include "runtimes/core/float_bits.h"

namespace opsmith::simd {

// As square_root() of runtimes/core/square_root.h, whose NaN of negative numbers Arm has not.
template <class V>
inline float square_root(float x) {
  const float found = V::root(x);
  return x < 0.0f ? -kNaN : x != x ? x : found;
}

}  // namespace opsmith::simd
