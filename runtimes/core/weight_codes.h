// Weights that are codes of a few bits into a table, decoded when a kernel needs them. Freestanding
// C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// Writes the weights of N codes, the first in the lowest bits; returns where codes go on. Eight of
// them, which are not more than 32 bits, take as many bytes as one has bits, P's `bits`; so do the
// last, if there are fewer.
template <class P>
const uint8_t* look_up(const P& p, const uint8_t* codes, const int8_t* values, int32_t count,
                       int8_t* weights) {
  const uint32_t mask = (uint32_t{1} << p.bits) - 1;
  for (; count > 0; count -= 8) {
    uint32_t eight = 0;
    for (int32_t i = 0; i < p.bits; ++i) eight |= static_cast<uint32_t>(*codes++) << (8 * i);
    if (count >= 8) {
#pragma GCC unroll 8
      for (int32_t i = 0; i < 8; ++i, eight >>= p.bits) *weights++ = values[eight & mask];
    } else {
      for (int32_t i = 0; i < count; ++i, eight >>= p.bits) *weights++ = values[eight & mask];
    }
  }
  return codes;
}

}  // namespace opsmith
