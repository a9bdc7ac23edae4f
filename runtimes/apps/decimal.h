// A number as decimal text. Freestanding.
#pragma once

#include <stdint.h>

namespace opsmith {

// Writes the digits of a number and a zero at the end of the buffer; returns the first of them.
inline const char* decimal(uint32_t value, char (&digits)[11]) {
  int first = 10;
  digits[10] = 0;
  do {
    digits[--first] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value);
  return digits + first;
}

}  // namespace opsmith
