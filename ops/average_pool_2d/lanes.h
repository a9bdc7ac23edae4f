// Needs nothing. Fast because a word has four channels, two of which are summed up in one addition,
// and because one division serves all channels of a window. Bytes: for windows of up to 256 pixels.
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/core/lanes.h"
#include "runtimes/families/pooling.h"

namespace opsmith::average_pool_2d {

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

template <class Lanes, class Mean, class P, class T>
void average(const P& p, const T* x, T* out) {
  for_each_window(p, x, out, [&p](const Window<T>& window, T* y) {
    const Mean mean(window.rows * window.columns);
    const auto put = [&p, &mean, y](int32_t c, int32_t sum) {
      y[c] = static_cast<T>(mean.clamped(sum, p.activation_min, p.activation_max));
    };
    int32_t c = 0;
    for (; c + 4 <= p.channels; c += 4) {
      int32_t sums[4] = {};
      sum_four<Lanes>(p, window.pixels + c, window.rows, window.columns, sums);
      for (int32_t i = 0; i < 4; ++i) put(c + i, sums[i]);
    }
    for (; c < p.channels; ++c) {
      put(c, sum_one(p, window.pixels + c, window.rows, window.columns));
    }
  });
}

template <class P, class T>
void lanes(const P& p, const In<T>& in, const Out<T>& out) {
  average<Lanes<T>, Mean<T>>(p, in.x, out.y);
}

}  // namespace opsmith::average_pool_2d
