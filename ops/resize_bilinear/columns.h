// Needs nothing. Fast because places come from tables, and a pixel's sums are first taken along
// both rows, with weights that all pixels of a row or a column share: for any scale.
#pragma once

#include "resize_bilinear.op.h"

namespace opsmith::resize_bilinear {

inline constexpr int32_t kColumnOne = 2048;  // unit of weights along an axis, XNNPACK's
inline constexpr int32_t kColumnBits = 22;   // of its square

// A row of y, of rows that begin at low and high, `down` of the way from low.
template <class P>
__attribute__((noinline)) void write_pixels(const P& p, int32_t down, const BetweenColumn* columns,
                                            const int8_t* low, const int8_t* high, int8_t* y) {
  constexpr int32_t half = 1 << (kColumnBits - 1);
  const int32_t channels = p.channels, next = p.x_size[1] > 1 ? channels : 0;
  const int32_t up = kColumnOne - down, away = p.halves_up ? 0 : -1;  // halves go up, or from zero
  for (int32_t n = p.y_size[1]; n > 0; --n, ++columns) {
    const int32_t further = columns->steps * channels, right = columns->beyond;
    const int32_t left = kColumnOne - right;
    low += further, high += further;
#pragma GCC unroll 4
    for (int32_t c = 0; c < channels; ++c) {
      const int32_t above = low[c] * left + low[c + next] * right;
      const int32_t below = high[c] * left + high[c + next] * right;
      const int32_t sum = above * up + below * down;
      *y++ = static_cast<int8_t>((sum + (sum >> 31 & away) + half) >> kColumnBits);
    }
  }
}

template <class P>
void columns(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
             const BetweenTables& tables) {
  const int32_t row_size = p.x_size[1] * p.channels;
  const int8_t* image = in.x;
  int8_t* y = out.y;
  for (int32_t n = 0; n < p.batches; ++n, image += p.x_size[0] * row_size) {
    for (int32_t i = 0; i < p.y_size[0]; ++i, y += p.y_size[1] * p.channels) {
      const BetweenRow& row = tables.rows[i];
      const int8_t *low = image + row.low * row_size, *high = image + row.high * row_size;
      write_pixels(p, row.beyond, tables.columns, low, high, y);
    }
  }
}

}  // namespace opsmith::resize_bilinear
