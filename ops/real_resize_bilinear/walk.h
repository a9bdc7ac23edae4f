// Sums of four weighted pixels of x for each element of y.
#pragma once

#include <stdint.h>

#include "real_resize_bilinear.op.h"

namespace opsmith::real_resize_bilinear {

// The channels of a pixel of y: y = round(sum), of elements with their zero point. No part of the
// loops around it, so that its own has registers for all it reads.
template <class Round>
__attribute__((noinline)) void write_pixel(const int8_t* low, const int8_t* high, int32_t right,
                                           int32_t channels, const int32_t (&weights)[4], int8_t* y,
                                           Round round) {
  const int32_t a = weights[0], b = weights[1], c = weights[2], d = weights[3];
  for (const int8_t* end = low + channels; low != end; ++low, ++high) {
    const int32_t sum = low[0] * a + low[right] * b + high[0] * c + high[right] * d;
    *y++ = static_cast<int8_t>(round(sum));
  }
}

template <class P, class Round>
void for_each_sum(const P& p, const int8_t* image, int8_t* y, const Tables& tables, Round round) {
  const int32_t channels = p.channels, row_size = p.x_size[1] * p.channels;
  for (int32_t n = 0; n < p.batches; ++n, image += p.x_size[0] * row_size) {
    for (int32_t i = 0; i < p.y_size[0]; ++i) {
      const LinearPlace& row = tables.rows[i];
      const int32_t down = row.beyond, up = p.one_down - down;
      for (int32_t j = 0; j < p.y_size[1]; ++j, y += channels) {
        const LinearPlace& column = tables.columns[j];
        const int32_t across = column.beyond, before = p.one_across - across;
        const int32_t weights[4] = {before * up, across * up, before * down, across * down};
        const int8_t* x = image + column.low * channels;
        write_pixel(x + row.low * row_size, x + row.high * row_size,
                    (column.high - column.low) * channels, channels, weights, y, round);
      }
    }
  }
}

}  // namespace opsmith::real_resize_bilinear
