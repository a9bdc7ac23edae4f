// What generated code needs to run a model row by row. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/unaligned.h"

namespace opsmith {

// Row i of a tensor is made in pass first + i * every: the row that this pass makes, or -1.
constexpr int32_t row_in_pass(int32_t pass, int32_t first, int32_t every) {
  return pass < first || (pass - first) % every != 0 ? -1 : (pass - first) / every;
}

// Whether this pass makes one of N rows.
constexpr bool row_due(int32_t pass, int32_t first, int32_t every, int32_t rows) {
  return pass < first + rows * every && row_in_pass(pass, first, every) >= 0;
}

// Moves `bytes` after the oldest row down by it. Words at once: each is read before it is written
// over, since a row has at least as many bytes.
inline void drop_oldest_row(uint8_t* rows, uint32_t row_bytes, uint32_t bytes) {
  const uint8_t* from = rows + row_bytes;
  uint32_t i = 0;
  if (row_bytes >= sizeof(uint32_t)) {
    for (; i + sizeof(uint32_t) <= bytes; i += sizeof(uint32_t)) {
      store_unaligned(rows + i, load_unaligned<uint32_t>(from + i));
    }
  }
  for (; i < bytes; ++i) rows[i] = from[i];
}

}  // namespace opsmith
