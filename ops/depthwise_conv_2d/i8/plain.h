// Needs Thumb. Fast because windows are copied with their border, so that all are summed up by
// one loop over their taps without a branch, and zero points are in the constants.
#pragma once

#include <string.h>

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/high_product.h"
#include "runtimes/core/walk.h"

namespace opsmith::depthwise_conv_2d::i8 {

// The inputs of one output pixel; outside of the image is the zero point.
template <class P>
void copy_window(const P& p, const int8_t* image, int32_t top, int32_t left, int8_t* window) {
  const int32_t pixel = p.input_channels;
  const int32_t right = left + (p.filter_width - 1) * p.dilation_width;
  const bool whole = left >= 0 && right < p.input_width && p.dilation_width == 1;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    const bool inside = y >= 0 && y < p.input_height;
    if (inside && whole) {
      const int8_t* row = image + (y * p.input_width + left) * pixel;
      memcpy(window, row, static_cast<size_t>(p.filter_width * pixel));
      window += p.filter_width * pixel;
      continue;
    }
    for (int32_t fx = 0; fx < p.filter_width; ++fx, window += pixel) {
      const int32_t x = left + fx * p.dilation_width;
      if (inside && x >= 0 && x < p.input_width) {
        memcpy(window, image + (y * p.input_width + x) * pixel, static_cast<size_t>(pixel));
      } else {
        memset(window, p.input_zero_point, static_cast<size_t>(pixel));
      }
    }
  }
}

// Corrects the outputs of a pixel that have the sum of an exception: where a line gives the output
// of one, sums are made again. Returns the last exception. Shared by all layers.
__attribute__((noinline)) inline const Exception* corrected_pixel(const Exception* e,
                                                                  const int8_t* window,
                                                                  const int8_t* filter, int8_t* y,
                                                                  int32_t taps, int32_t inputs,
                                                                  int32_t filters) {
  const int32_t channels = inputs * filters;
  for (; e->channel() < channels; ++e) {
    const int32_t c = e->channel();
    if (y[c] != e->line()) continue;
    const int8_t *x = window + c / filters, *w = filter + c;
    int32_t sum = 0;
    for (int32_t i = 0; i < taps; ++i, x += inputs, w += channels) sum += *x * *w;
    if (sum == e->sum) y[c] = e->output();
  }
  return e;
}

// All channels of one output pixel.
template <class Constants, class P>
void pixel_channels(const P& p, const int8_t* window, const int8_t* filter, Constants constants,
                    int8_t* y) {
  const int32_t taps = p.filter_height * p.filter_width;
  const int32_t inputs = p.input_channels, filters = p.channel_multiplier;
  const int32_t channels = inputs * filters;
  const auto* lines = lines_of(constants);
  const int8_t* x = window;
  for (int32_t i = 0, c = 0; i < inputs; ++i, ++x) {
    for (const int32_t end = c + filters; c != end; ++c) {
      int32_t sum = 0;
#pragma GCC unroll 9
      for (int32_t tap = 0; tap < taps; ++tap) {
        sum += x[tap * inputs] * filter[tap * channels + c];
      }
      y[c] = requantize_sum(p, sum, lines[c]);
    }
  }
  exceptions_before(constants, channels, [&](const Exception* e) {
    return corrected_pixel(e, window, filter, y, taps, inputs, filters);
  });
}

// The whole convolution.
template <class P>
void by_windows(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                int8_t* window) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    copy_window(p, in.x + b * size, oy * p.stride_height - p.padding_top,
                ox * p.stride_width - p.padding_left, window);
    int8_t* y = out.y + number * p.input_channels * p.channel_multiplier;
    with_constants(p, tables.requantization,
                   [&](auto constants) { pixel_channels(p, window, tables.filter, constants, y); });
  });
}

template <class P, class S>
void plain(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
           const S& scratch) {
  by_windows(p, in, out, tables, scratch.window);
}

}  // namespace opsmith::depthwise_conv_2d::i8
