// Sums of four weighted pixels of x for each element of y.
#pragma once

#include <stdint.h>

#include "real_resize_bilinear.op.h"

namespace opsmith::real_resize_bilinear {

// y = round(sum) + zero point; a sum is of elements without their zero point.
template <class P, class Round>
void for_each_sum(const P& p, const int8_t* image, int8_t* y, const Tables& tables, Round round) {
  const int32_t channels = p.channels, row_size = p.x_size[1] * p.channels;
  for (int32_t n = 0; n < p.batches; ++n, image += p.x_size[0] * row_size) {
    for (int32_t i = 0; i < p.y_size[0]; ++i) {
      const Place& row = tables.rows[i];
      const int8_t* low = image + row.low * row_size;
      const int8_t* high = image + row.high * row_size;
      const int32_t down = row.beyond, up = p.one_down - down;
      for (int32_t j = 0; j < p.y_size[1]; ++j, y += channels) {
        const Place& column = tables.columns[j];
        const int32_t left = column.low * channels, right = column.high * channels;
        const int32_t across = column.beyond, before = p.one_across - across;
        const int32_t of_zero = p.one_down * p.one_across * p.zero_point;
        for (int32_t c = 0; c < channels; ++c) {
          const int32_t top = low[left + c] * before + low[right + c] * across;
          const int32_t bottom = high[left + c] * before + high[right + c] * across;
          y[c] = static_cast<int8_t>(round(top * up + bottom * down - of_zero) + p.zero_point);
        }
      }
    }
  }
}

}  // namespace opsmith::real_resize_bilinear
