// Sums of products that take the place of TFLite's rescaling where toolchain/op/affine.py has
// proved them exact for every input. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// x * multiplier / 2^8, rounded down, for an int8 x: two short multiplications, since cores without
// a long one would call a function for it.
constexpr int32_t affine_product(int32_t x, int32_t multiplier) {
  return x * (multiplier >> 8) + ((x * (multiplier & 255)) >> 8);
}

}  // namespace opsmith
