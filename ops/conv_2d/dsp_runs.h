// Convolutions of bytes by runs of neighbouring inputs, two channels at a time, whatever the
// weights, the scales and the groups, for kernels that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp_runs.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::conv_2d {

// Sums of one or two channels.
struct Sums {
  int32_t a, b;
};

// The sums of kRows channels, over the taps that are inside the image. Tap 0 of the filter is where
// `image` points. A function of its own, for which registers suffice.
template <int32_t kRows, class P, class T>
__attribute__((always_inline)) inline Sums sums_of_taps(const P& p, const T* image, const T* filter,
                                                        Taps rows, Taps columns,
                                                        dsp::ZeroPoints zero) {
  const int32_t pixel = p.dilation_width * p.input_channels, inputs = p.filter_channels;
  const int32_t line = p.dilation_height * p.input_width * p.input_channels;
  const int32_t taps = columns.end - columns.first, width = p.filter_width * inputs;
  dsp::Runs<kRows, T> sums(zero, p.filter_height * width);
  image += rows.first * line + columns.first * pixel;
  filter += rows.first * width + columns.first * inputs;
  for (int32_t left = rows.end - rows.first; left > 0; --left, image += line, filter += width) {
    if (pixel == inputs) {
      sums.add(image, filter, taps * inputs);
      continue;
    }
    const T *x = image, *w = filter;
    for (int32_t fx = 0; fx < taps; ++fx, x += pixel, w += inputs) sums.add(x, w, inputs);
  }
  return {sums.a(), sums.b()};
}

// All outputs: output(channel, sum) is one of them.
template <class P, class T, class F>
void outputs_of_runs(const P& p, const T* x, const T* filter, T* y, dsp::ZeroPoints zero,
                     F output) {
  const int32_t groups = p.input_channels / p.filter_channels;
  const int32_t channels = p.output_channels / groups;
  const int32_t size = p.filter_height * p.filter_width * p.filter_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
    const T* image = x + ((b * p.input_height + top) * p.input_width + left) * p.input_channels;
    const T* w = filter;
    T* to = y + number * p.output_channels;
    for (int32_t g = 0, c = 0; g < groups; ++g, image += p.filter_channels) {
      const int32_t end = c + channels;
      for (; c + 1 < end; c += 2, w += 2 * size) {
        const Sums sums = sums_of_taps<2>(p, image, w, rows, columns, zero);
        to[c] = output(c, sums.a);
        to[c + 1] = output(c + 1, sums.b);
      }
      if (c < end) {
        to[c] = output(c, sums_of_taps<1>(p, image, w, rows, columns, zero).a);
        ++c, w += size;
      }
    }
  });
}

}  // namespace opsmith::conv_2d
