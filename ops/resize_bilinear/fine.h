// ResizeBilinear of int8 between places in units of 1/2048 pixel, which are found at build time
// (XNNPACK: src/s8-ibilinear, xnn_indirection_init_resize_bilinear2d_hwc_q11).
#pragma once

#include <stdint.h>

#include "resize_bilinear.op.h"

namespace opsmith::resize_bilinear {

inline constexpr int32_t kFine = 2048;    // of a pixel
inline constexpr int32_t kFineBits = 22;  // of kFine * kFine

template <class P>
void fine(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const FineTables& tables) {
  const int32_t channels = p.channels, row_size = p.x_size[1] * p.channels;
  const int8_t* image = in.x;
  int8_t* y = out.y;
  for (int32_t n = 0; n < p.batches; ++n, image += p.x_size[0] * row_size) {
    for (int32_t i = 0; i < p.y_size[0]; ++i) {
      const FinePlace& row = tables.rows[i];
      const int8_t* low = image + row.low * row_size;
      const int8_t* high = image + row.high * row_size;
      for (int32_t j = 0; j < p.y_size[1]; ++j, y += channels) {
        const FinePlace& column = tables.columns[j];
        const int32_t left = column.low * channels, right = column.high * channels;
        const int32_t across = column.beyond, down = row.beyond;
        for (int32_t c = 0; c < channels; ++c) {
          const int32_t top = low[left + c] * (kFine - across) + low[right + c] * across;
          const int32_t bottom = high[left + c] * (kFine - across) + high[right + c] * across;
          const int32_t sum = top * (kFine - down) + bottom * down;
          y[c] = static_cast<int8_t>((sum + kFine * kFine / 2) >> kFineBits);
        }
      }
    }
  }
}

}  // namespace opsmith::resize_bilinear
