// Windows of images as rows of rows.h. V is the instruction set, such as avx2.h, or Reals of it.
// Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith::simd {

// Whether the pixels of x are all rows, in order, of this many inputs.
template <class P>
bool are_rows(const P& p, int32_t pitch) {
  return p.filter_height == 1 && p.filter_width == 1 && p.input_height == p.output_height &&
         p.input_width == p.output_width && p.input_channels == pitch && p.padding_top == 0 &&
         p.padding_left == 0 && p.stride_height == 1 && p.stride_width == 1;
}

// The inputs of one output pixel; outside of the image is `zero`.
template <class V, class P, class T>
void fill_row(const P& p, const T* image, T zero, int32_t top, int32_t left,
              typename V::Input* row) {
  const int32_t right = left + (p.filter_width - 1) * p.dilation_width;
  const bool whole = left >= 0 && right < p.input_width && p.dilation_width == 1;
  const int32_t run = p.filter_width * p.input_channels;
  for (int32_t fy = 0; fy < p.filter_height; ++fy, row += run) {
    const int32_t y = top + fy * p.dilation_height;
    const bool inside = y >= 0 && y < p.input_height;
    if (!inside) {
      V::repeat(zero, run, row);
      continue;
    }
    const T* line = image + y * p.input_width * p.input_channels;
    if (whole) {
      V::copy(line + left * p.input_channels, run, row);
      continue;
    }
    for (int32_t fx = 0; fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      typename V::Input* to = row + fx * p.input_channels;
      if (x >= 0 && x < p.input_width) {
        V::copy(line + x * p.input_channels, p.input_channels, to);
      } else {
        V::repeat(zero, p.input_channels, to);
      }
    }
  }
}

// Copies the windows of all output pixels to rows, with a pitch of inputs; calls f(count) for every
// V::kRows of them, and for the last ones.
template <class V, class P, class T, class F>
void gather_windows(const P& p, const T* x, T zero, int32_t pitch, typename V::Input* rows, F f) {
  const int32_t image = p.input_height * p.input_width * p.input_channels;
  int32_t filled = 0;
  for (int32_t b = 0; b < p.batches; ++b) {
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      for (int32_t ox = 0; ox < p.output_width; ++ox) {
        fill_row<V>(p, x + b * image, zero, oy * p.stride_height - p.padding_top,
                    ox * p.stride_width - p.padding_left, rows + filled * pitch);
        if (++filled < V::kRows) continue;
        f(filled);
        filled = 0;
      }
    }
  }
  if (filled > 0) f(filled);
}

}  // namespace opsmith::simd
