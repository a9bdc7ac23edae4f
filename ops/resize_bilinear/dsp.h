// Needs the DSP extension. Fast as between.h, and because a column of x and the next have a sum
// that serves both pixels between them, whose weights are 3 and 1: of images of twice the width.
#pragma once

#include "ops/resize_bilinear/between.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::resize_bilinear {

// As TwoRows::of.
inline FourSums sums_of(const TwoRows& rows, const int8_t* x) {
  const uint32_t low = dsp::load_word(x) ^ kFlip, high = dsp::load_word(x + rows.further) ^ kFlip;
  return {(low & kBytes) * rows.up + (high & kBytes) * rows.down,
          dsp::uxtb16_ror8(low) * rows.up + dsp::uxtb16_ror8(high) * rows.down};
}

// The nearest bytes of sums in units of 1/256, to which half was added, or half less 1.
template <class P>
void put_four(const P& p, uint32_t even, uint32_t odd, int8_t* y) {
  if (!p.halves_up) {
    even += even >> 15 & kOnes;
    odd += odd >> 15 & kOnes;
  }
  dsp::store_word(y, (dsp::uxtb16_ror8(even) | (odd & ~kBytes)) ^ kFlip);
}

// Four channels of a row of y.
template <class P>
__attribute__((noinline)) void double_row(const P& p, const TwoRows& two, const int8_t* x,
                                          int8_t* y) {
  const TwoRows rows = two;
  const int32_t channels = p.channels;
  const uint32_t more = p.halves_up ? 128 * kOnes : 127 * kOnes;
  FourSums left = sums_of(rows, x);
  put_four(p, 4 * left.even + more, 4 * left.odd + more, y);
  y += channels;
  for (int32_t n = p.x_size[1] - 1; n > 0; --n, y += 2 * channels) {
    const FourSums right = sums_of(rows, x += channels);
    const uint32_t even = left.even + right.even + more, odd = left.odd + right.odd + more;
    put_four(p, even + 2 * left.even, odd + 2 * left.odd, y);
    put_four(p, even + 2 * right.even, odd + 2 * right.odd, y + channels);
    left = right;
  }
  put_four(p, 4 * left.even + more, 4 * left.odd + more, y);
}

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const RowTables& tables) {
  const int32_t channels = p.channels, row_size = p.x_size[1] * channels;
  const int8_t* image = in.x;
  int8_t* y = out.y;
  for (int32_t n = 0; n < p.batches; ++n, image += p.x_size[0] * row_size) {
    for (int32_t i = 0; i < p.y_size[0]; ++i, y += 2 * row_size) {
      const BetweenRow& row = tables.rows[i];
      const TwoRows rows = {(row.high - row.low) * row_size,
                            static_cast<uint32_t>(p.one_down - row.beyond),
                            static_cast<uint32_t>(row.beyond)};
      const int8_t* x = image + row.low * row_size;
      for (int32_t c = 0; c < channels; c += 4) double_row(p, rows, x + c, y + c);
    }
  }
}

}  // namespace opsmith::resize_bilinear
