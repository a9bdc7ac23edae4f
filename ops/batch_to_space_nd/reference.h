// BatchToSpaceND, the definition (tensorflow/lite/kernels/internal/reference/batch_to_space_nd.h).
// For any element type: whole pixels move.
#pragma once

#include <string.h>

#include "batch_to_space_nd.op.h"

namespace opsmith::batch_to_space_nd {

// Row by row of y. The pixel at a position in a block comes from the image of that position.
template <class P>
void reference(const P& p, const In<void>& in, const Out<void>& out) {
  const uint8_t* x = static_cast<const uint8_t*>(in.x);
  uint8_t* y = static_cast<uint8_t*>(out.y);
  for (int32_t n = 0; n < p.batches; ++n) {
    for (int32_t i = p.before[0]; i < p.before[0] + p.y_size[0]; ++i) {
      const int32_t row = i / p.block[0], top = i % p.block[0];
      for (int32_t j = p.before[1]; j < p.before[1] + p.y_size[1]; ++j, y += p.pixel) {
        const int32_t column = j / p.block[1], left = j % p.block[1];
        const int32_t image = (top * p.block[1] + left) * p.batches + n;
        const int32_t from = (image * p.x_size[0] + row) * p.x_size[1] + column;
        memcpy(y, x + from * p.pixel, static_cast<size_t>(p.pixel));
      }
    }
  }
}

}  // namespace opsmith::batch_to_space_nd
