// Windows of images of int8 as rows of bytes, and as columns of one group of channels, for kernels
// that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp_columns.h"

namespace opsmith::conv_2d {

// The inputs of one output pixel in a row: a copy, or where they lie.
template <class P>
const int8_t* window_row(const P& p, const int8_t* image, int32_t top, int32_t left, int8_t* copy) {
  const int8_t* first = image + (top * p.input_width + left) * p.input_channels;
  if (!p.copied) return first;
  const int32_t bottom = top + (p.filter_height - 1) * p.dilation_height;
  const bool whole = top >= 0 && bottom < p.input_height && left >= 0 &&
                     left + p.filter_width <= p.input_width && p.dilation_width == 1;
  if (whole) {
    const int32_t row = p.filter_width * p.input_channels;
    const int32_t pitch = p.dilation_height * p.input_width * p.input_channels;
    for (int32_t fy = 0; fy < p.filter_height; ++fy) {
      memcpy(copy + fy * row, first + fy * pitch, static_cast<size_t>(row));
    }
  } else {
    dsp::copy_window(p, image, top, left, copy);
  }
  return copy;
}

// The columns of one pixel's window, whose first pixel is at (top, left), in one group of channels,
// from which on `image` is. Runs that are no whole words go through `window`.
template <class P>
void spread_group(const P& p, const int8_t* image, int32_t top, int32_t left, int8_t* window,
                  uint32_t* columns) {
  const bool words = p.filter_channels % 4 == 0;
  int8_t* copy = window;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    const bool row = y >= 0 && y < p.input_height;
    const int8_t* tap = image + (y * p.input_width + left) * p.input_channels;
    for (int32_t x = left, fx = 0; fx < p.filter_width; ++fx, x += p.dilation_width) {
      const bool inside = row && x >= 0 && x < p.input_width;
      if (words) {
        columns = inside ? dsp::spread<0>(tap, p.filter_channels, columns)
                         : dsp::spread_border<0>(p.input_zero_point, p.filter_channels, columns);
      } else {
        for (int32_t c = 0; c < p.filter_channels; ++c) {
          *copy++ = inside ? tap[c] : static_cast<int8_t>(p.input_zero_point);
        }
      }
      tap += p.dilation_width * p.input_channels;
    }
  }
  if (!words) dsp::spread<0>(window, p.window, columns);
}

}  // namespace opsmith::conv_2d
