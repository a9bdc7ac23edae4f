// SpaceToBatchND, the definition (tensorflow/lite/kernels/internal/reference/space_to_batch_nd.h).
// For any element type: whole pixels move.
#pragma once

#include <string.h>

#include "space_to_batch_nd.op.h"

namespace opsmith::space_to_batch_nd {

// Pixel (row, column) of image n of x, or border where there is none.
template <class P>
void write_pixel(const P& p, const uint8_t* x, int32_t n, int32_t row, int32_t column, uint8_t* y) {
  const size_t pixel = static_cast<size_t>(p.pixel);
  if (row < 0 || row >= p.x_size[0] || column < 0 || column >= p.x_size[1]) {
    memset(y, p.border, pixel);
  } else {
    memcpy(y, x + ((n * p.x_size[0] + row) * p.x_size[1] + column) * p.pixel, pixel);
  }
}

// Image by image: for every position in a block those of all batches.
template <class P>
void reference(const P& p, const In<void>& in, const Out<void>& out) {
  const uint8_t* x = static_cast<const uint8_t*>(in.x);
  uint8_t* y = static_cast<uint8_t*>(out.y);
  for (int32_t top = 0; top < p.block[0]; ++top) {
    for (int32_t left = 0; left < p.block[1]; ++left) {
      for (int32_t n = 0; n < p.batches; ++n) {
        for (int32_t i = 0; i < p.y_size[0]; ++i) {
          const int32_t row = i * p.block[0] + top - p.before[0];
          for (int32_t j = 0; j < p.y_size[1]; ++j, y += p.pixel) {
            write_pixel(p, x, n, row, j * p.block[1] + left - p.before[1], y);
          }
        }
      }
    }
  }
}

}  // namespace opsmith::space_to_batch_nd
