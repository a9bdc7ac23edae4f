// Elements of a tensor that fill no vector. Fast because no loop or call moves them, and nothing
// beside them is touched. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith::simd {

// 1 to 8 bytes from x on; the rest are zeros.
inline uint64_t few_bytes(const int8_t* x, int32_t n) {
  if (n == 8) {
    uint64_t all;
    memcpy(&all, x, sizeof all);
    return all;
  }
  if (n >= 4) {  // the last four, of which some are among the first
    uint32_t first, last;
    memcpy(&first, x, sizeof first);
    memcpy(&last, x + n - 4, sizeof last);
    return first | static_cast<uint64_t>(last) << (8 * (n - 4));
  }
  uint64_t found = static_cast<uint8_t>(x[0]);
  if (n > 1) found |= static_cast<uint64_t>(static_cast<uint8_t>(x[1])) << 8;
  if (n > 2) found |= static_cast<uint64_t>(static_cast<uint8_t>(x[2])) << 16;
  return found;
}

// Writes the first 1 to 8 bytes.
inline void put_few_bytes(uint64_t bytes, int8_t* y, int32_t n) {
  if (n == 8) {
    memcpy(y, &bytes, sizeof bytes);
  } else if (n >= 4) {
    const uint32_t first = static_cast<uint32_t>(bytes);
    const uint32_t last = static_cast<uint32_t>(bytes >> (8 * (n - 4)));
    memcpy(y, &first, sizeof first);
    memcpy(y + n - 4, &last, sizeof last);
  } else {
    y[0] = static_cast<int8_t>(bytes);
    if (n > 1) y[1] = static_cast<int8_t>(bytes >> 8);
    if (n > 2) y[2] = static_cast<int8_t>(bytes >> 16);
  }
}

}  // namespace opsmith::simd
