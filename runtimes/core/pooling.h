// Pooling of NHWC images: calls a reduction for each window, cut to the image. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/window.h"

namespace opsmith {

// A window inside an image: where its first pixel is, how many rows and columns it has.
struct Window {
  const int8_t* pixels;
  int32_t rows;
  int32_t columns;
};

// Calls reduce(window, y) for every output pixel y in order; S has the fields of PoolShape.
template <class S, class Reduce>
void for_each_window(const S& s, const int8_t* x, int8_t* y, Reduce reduce) {
  for (int32_t b = 0; b < s.batches; ++b) {
    for (int32_t oy = 0; oy < s.output_height; ++oy) {
      const int32_t top = oy * s.stride_height - s.padding_top;
      const Taps rows = taps_inside(top, s.input_height, s.window_height, 1);
      for (int32_t ox = 0; ox < s.output_width; ++ox) {
        const int32_t left = ox * s.stride_width - s.padding_left;
        const Taps columns = taps_inside(left, s.input_width, s.window_width, 1);
        const int32_t first = (top + rows.first) * s.input_width + left + columns.first;
        reduce({x + first * s.channels, rows.end - rows.first, columns.end - columns.first}, y);
        y += s.channels;
      }
    }
    x += s.input_height * s.input_width * s.channels;
  }
}

}  // namespace opsmith
