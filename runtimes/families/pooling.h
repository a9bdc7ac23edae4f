// Pooling of NHWC images: calls a reduction for each window, cut to the image. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"
#include "runtimes/families/window.h"

namespace opsmith {

// A window inside an image: where its first pixel is, how many rows and columns it has.
struct Window {
  const int8_t* pixels;
  int32_t rows;
  int32_t columns;
};

// Calls reduce(window, y) for every output pixel y in order; P has the fields of PoolParams.
template <class P, class Reduce>
void for_each_window(const P& p, const int8_t* x, int8_t* y, Reduce reduce) {
  for (int32_t b = 0; b < p.batches; ++b) {
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      const int32_t top = oy * p.stride_height - p.padding_top;
      const Taps rows = taps_inside(top, p.input_height, p.window_height, 1);
      for (int32_t ox = 0; ox < p.output_width; ++ox) {
        const int32_t left = ox * p.stride_width - p.padding_left;
        const Taps columns = taps_inside(left, p.input_width, p.window_width, 1);
        const int32_t first = (top + rows.first) * p.input_width + left + columns.first;
        reduce({x + first * p.channels, rows.end - rows.first, columns.end - columns.first}, y);
        y += p.channels;
      }
    }
    x += p.input_height * p.input_width * p.channels;
  }
}

}  // namespace opsmith
