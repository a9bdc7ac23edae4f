// Needs nothing. Fast because a word has two channels, whose weighted sums one multiplication
// makes: of bytes plus 128, in units so large that sums fit 16 bits, and because sums of two rows
// serve all pixels between the same columns. For scales such as two and four.
#pragma once

#include "resize_bilinear.op.h"
#include "runtimes/core/unaligned.h"

namespace opsmith::resize_bilinear {

inline constexpr uint32_t kFlip = 0x80808080;  // of int8 to bytes that are 128 more
inline constexpr uint32_t kBytes = 0x00ff00ff;
inline constexpr uint32_t kOnes = 0x00010001;
inline constexpr uint32_t kOne = 256;  // what the weights of a pixel add up to

// Sums of channels 0 and 2, and of 1 and 3, in a word or several.
template <class Word>
struct Sums {
  Word even, odd;
};
using FourSums = Sums<uint32_t>;

// Sums of two rows, of which the second one is `further` on, with their weights.
struct TwoRows {
  int32_t further;
  uint32_t up, down;

  // Of the first `size` channels of a word of a column.
  template <class Word, int32_t size>
  Sums<Word> of(const int8_t* x) const {
    Word low{}, high{};
    copy_few<size>(&low, x);
    copy_few<size>(&high, x + further);
    low ^= kFlip, high ^= kFlip;
    return {(low & kBytes) * up + (high & kBytes) * down,
            (low >> 8 & kBytes) * up + (high >> 8 & kBytes) * down};
  }
};

// The nearest bytes of two sums, before they are shifted. Halves go up, or away from 128, which was
// zero.
template <class P, class Word>
Word rounded(const P& p, Word left, uint32_t left_weight, Word right, uint32_t right_weight) {
  constexpr uint32_t half = kOne / 2 * kOnes;
  const Word sums =
      (left * left_weight + (p.halves_up ? half : half - kOnes)) + right * right_weight;
  return p.halves_up ? sums : sums + (sums >> 15 & kOnes);
}

// The first `size` channels of a word of a row of y, of the rows that begin at x.
template <class Word, int32_t size, class P>
__attribute__((noinline)) void write_row(const P& p, const TwoRows& two,
                                         const BetweenColumn* columns, const int8_t* x, int8_t* y) {
  const TwoRows rows = two;
  const int32_t channels = p.channels, one = p.one_across;
  Sums<Word> left = rows.of<Word, size>(x), right = left;
  if (p.x_size[1] > 1) right = rows.of<Word, size>(x += channels);
  for (const BetweenColumn* end = columns + p.y_size[1]; columns != end; ++columns, y += channels) {
    for (int32_t i = columns->steps; i > 0; --i) {
      left = right;
      right = rows.of<Word, size>(x += channels);
    }
    const uint32_t beyond = static_cast<uint32_t>(columns->beyond);
    const uint32_t before = static_cast<uint32_t>(one) - beyond;
    const Word even = rounded(p, left.even, before, right.even, beyond);
    const Word odd = rounded(p, left.odd, before, right.odd, beyond);
    const Word found = ((even >> 8 & kBytes) | (odd & ~kBytes)) ^ kFlip;
    copy_few<size>(y, &found);
  }
}

// All rows of y, with channels in words of this type as long as there are enough.
template <class Wide, class P>
void between_rows(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                  const BetweenTables& tables) {
  constexpr int32_t kWide = sizeof(Wide);
  const int32_t channels = p.channels, row_size = p.x_size[1] * channels;
  const int8_t* image = in.x;
  int8_t* y = out.y;
  for (int32_t n = 0; n < p.batches; ++n, image += p.x_size[0] * row_size) {
    for (int32_t i = 0; i < p.y_size[0]; ++i, y += p.y_size[1] * channels) {
      const BetweenRow& row = tables.rows[i];
      const TwoRows rows = {(row.high - row.low) * row_size,
                            static_cast<uint32_t>(p.one_down - row.beyond),
                            static_cast<uint32_t>(row.beyond)};
      const int8_t* x = image + row.low * row_size;
      int32_t c = 0;
      for (; c <= channels - kWide; c += kWide) {
        write_row<Wide, kWide>(p, rows, tables.columns, x + c, y + c);
      }
      if constexpr (kWide > 4) {
        for (; c <= channels - 4; c += 4) {
          write_row<uint32_t, 4>(p, rows, tables.columns, x + c, y + c);
        }
      }
      for (; c < channels; ++c) write_row<uint32_t, 1>(p, rows, tables.columns, x + c, y + c);
    }
  }
}

template <class P>
void between(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
             const BetweenTables& tables) {
  between_rows<uint32_t>(p, in, out, tables);
}

}  // namespace opsmith::resize_bilinear
