// Needs nothing. Fast because a word has four channels, two of which are summed up in one addition,
// and because one division serves all channels of a window. For windows of up to 256 pixels.
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/core/lanes.h"
#include "runtimes/core/pooling.h"

namespace opsmith::average_pool_2d {

// The sums of four channels; `x` is the first of them in the window's first pixel.
template <class Lanes, class S>
void sum_four(const S& s, const int8_t* x, int32_t rows, int32_t columns, int32_t (&sums)[4]) {
  Lanes lanes;
  for (int32_t i = 0; i < rows; ++i, x += s.input_width * s.channels) {
    const int8_t* pixel = x;
    for (int32_t j = 0; j < columns; ++j, pixel += s.channels) lanes.add_word(pixel);
  }
  lanes.drain(rows * columns, sums);
}

template <class S>
int32_t sum_one(const S& s, const int8_t* x, int32_t rows, int32_t columns) {
  int32_t sum = 0;
  for (int32_t i = 0; i < rows; ++i, x += s.input_width * s.channels) {
    for (int32_t j = 0; j < columns; ++j) sum += x[j * s.channels];
  }
  return sum;
}

template <class Lanes, class S>
void average(const S& s, const int8_t* x, int8_t* out) {
  for_each_window(s, x, out, [&s](const Window& window, int8_t* y) {
    const Mean mean(window.rows * window.columns);
    const auto put = [&s, &mean, y](int32_t c, int32_t sum) {
      y[c] = static_cast<int8_t>(clamp(mean(sum), s.activation_min, s.activation_max));
    };
    int32_t c = 0;
    for (; c + 4 <= s.channels; c += 4) {
      int32_t sums[4] = {};
      sum_four<Lanes>(s, window.pixels + c, window.rows, window.columns, sums);
      for (int32_t i = 0; i < 4; ++i) put(c + i, sums[i]);
    }
    for (; c < s.channels; ++c) {
      put(c, sum_one(s, window.pixels + c, window.rows, window.columns));
    }
  });
}

template <class S>
void average_pool_2d_i8_lanes(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  average<Lanes>(s, in.x, out.y);
}

}  // namespace opsmith::average_pool_2d
