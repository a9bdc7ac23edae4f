// Windows of four pixels without the taps that lie outside of the image for all of them, as columns
// of halfwords, for kernels that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp_columns.h"

namespace opsmith::dsp {

// Taps from the first to before the end.
struct Span {
  int32_t first;
  int32_t end;
};

// Where the window of a pixel of y begins.
struct Origin {
  int32_t top;
  int32_t left;
};

template <class P>
Origin origin_of(const P& p, int32_t pixel) {
  const int32_t row = pixel / p.output_width, column = pixel - row * p.output_width;
  return {row * p.stride_height - p.padding_top, column * p.stride_width - p.padding_left};
}

// The taps along one axis that are inside.
inline Span inside(int32_t from, int32_t size, int32_t taps, int32_t dilation) {
  Span found = {0, taps};
  while (found.first < taps && from + found.first * dilation < 0) ++found.first;
  while (found.end > found.first && from + (found.end - 1) * dilation >= size) --found.end;
  return found;
}

// The taps from the first to the last that is inside for any of N pixels; at least one.
template <class P>
Span taps_inside(const P& p, int32_t first, int32_t count) {
  Span found = {p.filter_height * p.filter_width, 0};
  for (int32_t k = 0; k < count; ++k) {
    const Origin at = origin_of(p, first + k);
    const Span rows = inside(at.top, p.input_height, p.filter_height, p.dilation_height);
    const Span columns = inside(at.left, p.input_width, p.filter_width, p.dilation_width);
    if (rows.first == rows.end || columns.first == columns.end) continue;
    const int32_t least = rows.first * p.filter_width + columns.first;
    const int32_t end = (rows.end - 1) * p.filter_width + columns.end;
    found = {least < found.first ? least : found.first, end > found.end ? end : found.end};
  }
  return found.first < found.end ? found : Span{0, 1};
}

inline void spread_raised(uint32_t word, uint32_t offset, uint32_t* columns) {
  columns[0] = sxtab16(offset, word);
  columns[kPixels] = sxtab16_ror8(offset, word);
}

// spread() of inputs that become as much more as both halfwords of the offset are.
inline uint32_t* spread_raised(const int8_t* inputs, int32_t size, uint32_t offset,
                               uint32_t* columns) {
  const int8_t* end = inputs + (size & ~15);
  for (; inputs != end; inputs += 16, columns += 8 * kPixels) {
    const uint32_t word0 = load_word(inputs), word1 = load_word(inputs + 4),
                   word2 = load_word(inputs + 8), word3 = load_word(inputs + 12);
    spread_raised(word0, offset, columns);
    spread_raised(word1, offset, columns + 2 * kPixels);
    spread_raised(word2, offset, columns + 4 * kPixels);
    spread_raised(word3, offset, columns + 6 * kPixels);
  }
  for (int32_t i = 0; i < (size & 15); i += 4, columns += 2 * kPixels) {
    spread_raised(load_word(inputs + i), offset, columns);
  }
  return columns;
}

// The columns of up to four pixels from `pixel` on, of those taps alone. The zero point becomes 0;
// channels are a multiple of four.
template <class P>
void spread_inside(const P& p, const int8_t* image, int32_t pixel, int32_t count, Span taps,
                   uint32_t* columns) {
  const uint32_t less = static_cast<uint16_t>(-p.input_zero_point), offset = less << 16 | less;
  const int32_t channels = p.input_channels;
  const int32_t first_row = taps.first / p.filter_width;
  for (int32_t k = 0; k < count; ++k) {
    const Origin at = origin_of(p, pixel + k);
    uint32_t* to = columns + k;
    int32_t fy = first_row, fx = taps.first - first_row * p.filter_width;
    for (int32_t tap = taps.first; tap < taps.end; ++tap) {
      const int32_t y = at.top + fy * p.dilation_height, x = at.left + fx * p.dilation_width;
      if (y >= 0 && y < p.input_height && x >= 0 && x < p.input_width) {
        to = spread_raised(image + (y * p.input_width + x) * channels, channels, offset, to);
      } else {
        to = spread_border<0>(0, channels, to);
      }
      if (++fx == p.filter_width) fx = 0, ++fy;
    }
  }
}

}  // namespace opsmith::dsp
