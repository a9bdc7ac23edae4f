// Means of windows, of the sums of four channels at a time. Freestanding C++17.
#pragma once

#include "runtimes/core/lanes.h"
#include "runtimes/families/pooling.h"

namespace opsmith {

// The sums of four channels; `x` is the first of them in the window's first pixel.
template <class Lanes, class P, class T>
void sum_four(const P& p, const T* x, int32_t rows, int32_t columns, int32_t (&sums)[4]) {
  Lanes lanes;
  for (int32_t i = 0; i < rows; ++i, x += p.input_width * p.channels) {
    const T* pixel = x;
    for (int32_t j = 0; j < columns; ++j, pixel += p.channels) lanes.add_four(pixel);
  }
  lanes.drain(rows * columns, sums);
}

template <class P, class T>
int32_t sum_one(const P& p, const T* x, int32_t rows, int32_t columns) {
  int32_t sum = 0;
  for (int32_t i = 0; i < rows; ++i, x += p.input_width * p.channels) {
    for (int32_t j = 0; j < columns; ++j) sum += x[j * p.channels];
  }
  return sum;
}

// Every channel of every window, as mean_of(pixels) makes it of a sum of as many.
template <class Lanes, class P, class T, class MeanOf>
void average_by_lanes(const P& p, const T* x, T* out, MeanOf mean_of) {
  for_each_window(p, x, out, [&p, mean_of](const Window<T>& window, T* y) {
    const auto mean = mean_of(window.rows * window.columns);
    int32_t c = 0;
    for (; c + 4 <= p.channels; c += 4) {
      int32_t sums[4] = {};
      sum_four<Lanes>(p, window.pixels + c, window.rows, window.columns, sums);
      for (int32_t i = 0; i < 4; ++i) y[c + i] = static_cast<T>(mean(sums[i]));
    }
    for (; c < p.channels; ++c) {
      y[c] = static_cast<T>(mean(sum_one(p, window.pixels + c, window.rows, window.columns)));
    }
  });
}

}  // namespace opsmith
