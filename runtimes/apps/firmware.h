// Which firmware this is: a digest that the build writes into the linked file, after the image and
// all that it was made from. The symbol is `opsmith_firmware`; programs without a reader lack it.
#pragma once

#include <stdint.h>

extern "C" {
inline const uint8_t opsmith_firmware[32] = {};
}

namespace opsmith {

// The 32 bytes of the digest: zeros where another tool linked the program.
inline const uint8_t* firmware_digest() {
  const uint8_t* digest = opsmith_firmware;
  __asm("" : "+r"(digest));  // else the compiler may take them for the zeros above
  return digest;
}

}  // namespace opsmith
