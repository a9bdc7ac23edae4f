// Weights of a few bits with a scale for each block of a row, read where they lie in flash.
#pragma once

#include <stdint.h>

namespace opsmith {

// Integer i of those that `packed` holds: 8 / bits in each byte, the first in its lowest bits.
inline int32_t packed_integer(const uint8_t* packed, int32_t bits, int32_t i) {
  const int32_t bit = i * bits;
  return static_cast<int32_t>(static_cast<uint32_t>(packed[bit >> 3]) << (32 - bits - (bit & 7))) >>
         (32 - bits);
}

}  // namespace opsmith
