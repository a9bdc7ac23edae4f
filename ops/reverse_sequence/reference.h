// ReverseSequence, the definition (tensorflow/lite/kernels/internal/reference/reference_ops.h). Of
// any element type: rows of bytes move.
#pragma once

#include <stdint.h>
#include <string.h>

#include "reverse_sequence.op.h"
#include "runtimes/families/movement.h"

namespace opsmith::reverse_sequence {

// Row by row of y.
template <class P>
void reference(const P& p, const In<void, void>& in, const Out<void, void>& out) {
  const int32_t longest = p.batch_first ? p.second : p.first;
  const uint8_t* x = static_cast<const uint8_t*>(in.x);
  uint8_t* y = static_cast<uint8_t*>(out.y);
  for (int32_t n = 0; n < p.outer; ++n, x += p.first * p.middle * p.second * p.row) {
    for (int32_t i = 0; i < p.first; ++i) {
      for (int32_t m = 0; m < p.middle; ++m) {
        for (int32_t j = 0; j < p.second; ++j, y += p.row) {
          const int32_t batch = p.batch_first ? i : j, place = p.batch_first ? j : i;
          const int32_t length = movement::index(in.lengths, p.width, batch, longest + 1);
          const int32_t from = place < length ? length - 1 - place : place;
          const int32_t row = p.batch_first ? i : from, column = p.batch_first ? from : j;
          const int32_t at = (row * p.middle + m) * p.second + column;
          memcpy(y, x + at * p.row, static_cast<size_t>(p.row));
        }
      }
    }
  }
}

}  // namespace opsmith::reverse_sequence
