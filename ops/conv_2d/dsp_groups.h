// The walk of dsp.h through a convolution, four pixels at a time, for int8 and uint8.
#pragma once

#include "runtimes/cmsis/dsp_pixels.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d {

// Words of columns, and the weights that they are multiplied by.
template <class W>
struct Windows {
  int32_t words;
  W weights;
};

// fill(image, first, count) fills columns with up to four pixels' inputs, and returns Windows;
// finish(windows, y) may change their outputs.
template <class P, class T, class Y, class Fill, class Finish>
void groups_of_pixels(const P& p, const int8_t* x, const T& tables, const uint32_t* columns,
                      int8_t* rest, Y* to, Fill fill, Finish finish) {
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t last = (pixels - 1) & ~(dsp::kPixels - 1);
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int8_t* image = x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += dsp::kPixels) {
      const int32_t first = p.reversed ? last - j : j;
      const int32_t count = pixels - first < dsp::kPixels ? pixels - first : dsp::kPixels;
      const auto windows = fill(image, first, count);
      int8_t* y = reinterpret_cast<int8_t*>(to + (b * pixels + first) * p.output_channels);
      int8_t* group = count == dsp::kPixels ? y : rest;
      const auto o = dsp::outputs_of<Y>(p, &P::left_shift);
      with_constants(p, tables.requantization,
                     [&](const auto& constants) __attribute__((always_inline)) {
                       dsp::four_pixels(o, columns, windows.words, windows.weights,
                                        lines_of(constants), p.output_channels, group);
                     });
      finish(windows, group);
      if (count < dsp::kPixels) memcpy(y, group, static_cast<size_t>(count * p.output_channels));
    }
  }
}

template <class P, class T, class Y, class Fill>
void groups_of_pixels(const P& p, const int8_t* x, const T& tables, const uint32_t* columns,
                      int8_t* rest, Y* to, Fill fill) {
  groups_of_pixels(p, x, tables, columns, rest, to, fill, [](const auto&, int8_t*) {});
}

}  // namespace opsmith::conv_2d
