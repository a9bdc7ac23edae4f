// Pooling of NHWC images: calls a reduction for each window, cut to the image. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"
#include "runtimes/families/tap_steps.h"
#include "runtimes/families/window.h"

namespace opsmith {

// A window inside an image: where its first pixel is, how many rows and columns it has.
template <class T>
struct Window {
  const T* pixels;
  int32_t rows;
  int32_t columns;
};

// Calls reduce(window, y) for every output pixel y in order; P has the fields of PoolGeometry.
template <class P, class T, class Reduce>
void for_each_window(const P& p, const T* x, T* y, Reduce reduce) {
  for (int32_t b = 0; b < p.batches; ++b) {
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      const int32_t top = oy * p.stride_height - p.padding_top;
      const Taps rows = taps_inside(top, p.input_height, p.window_height, 1);
      for (int32_t ox = 0; ox < p.output_width; ++ox) {
        const int32_t left = ox * p.stride_width - p.padding_left;
        const Taps columns = taps_inside(left, p.input_width, p.window_width, 1);
        const int32_t first = (top + rows.first) * p.input_width + left + columns.first;
        reduce(
            Window<T>{x + first * p.channels, rows.end - rows.first, columns.end - columns.first},
            y);
        y += p.channels;
      }
    }
    x += p.input_height * p.input_width * p.channels;
  }
}

// Where the taps of a window of floats are.
template <class P>
constexpr WindowTaps taps_of(const P& p, const Window<float>& window) {
  return {window.rows, window.columns, p.channels, 0, p.input_width * p.channels, 0};
}

// What is found in one channel of a window; `take` joins an element to what was found before it.
template <class P, class T, class Found, class Take>
Found pooled(const P& p, const Window<T>& window, int32_t channel, Found found, Take take) {
  for (int32_t i = 0; i < window.rows; ++i) {
    const T* row = window.pixels + i * p.input_width * p.channels + channel;
    for (int32_t j = 0; j < window.columns; ++j) found = take(found, row[j * p.channels]);
  }
  return found;
}

// Every channel of every window; `done` makes an element of y of what was found in a count of
// pixels.
template <class P, class T, class Found, class Take, class Done>
void pool(const P& p, const T* x, T* y, Found start, Take take, Done done) {
  for_each_window(p, x, y, [&p, start, take, done](const Window<T>& window, T* pixel) {
    for (int32_t c = 0; c < p.channels; ++c) {
      pixel[c] = done(pooled(p, window, c, start, take), window.rows * window.columns);
    }
  });
}

}  // namespace opsmith
