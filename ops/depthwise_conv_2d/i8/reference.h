// DepthwiseConv2D of int8, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h,
// DepthwiseConvPerChannel).
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/channel_outputs.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::i8 {

// One output before its bias: the taps inside the image; the rest would add zero.
// `pixel` and `tap` are where the window's first tap inside the image reads its two factors.
template <class P>
int32_t window_sum(const P& p, const int8_t* pixel, const int8_t* tap, int32_t rows,
                   int32_t columns) {
  const int32_t channels = p.input_channels * p.channel_multiplier;
  int32_t sum = 0;
  for (int32_t i = 0; i < rows; ++i) {
    const int8_t* at = pixel + i * p.dilation_height * p.input_width * p.input_channels;
    const int8_t* t = tap + i * p.filter_width * channels;
    for (int32_t j = 0; j < columns; ++j) {
      sum += (*at - p.input_zero_point) * *t;
      at += p.dilation_width * p.input_channels;
      t += channels;
    }
  }
  return sum;
}

// All channels of one output pixel, each read from its input channel before it is written.
template <class P, class F>
void pixel_outputs(const P& p, const int8_t* image, const int8_t* filters, F& output, int32_t top,
                   int32_t left, int8_t* y) {
  const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
  const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
  const int32_t first_row = top + rows.first * p.dilation_height;
  const int32_t first_column = left + columns.first * p.dilation_width;
  const int32_t channels = p.input_channels * p.channel_multiplier;
  const bool inside = rows.first < rows.end && columns.first < columns.end;
  const int32_t pixel = inside ? (first_row * p.input_width + first_column) * p.input_channels : 0;
  const int32_t tap = inside ? (rows.first * p.filter_width + columns.first) * channels : 0;
  for (int32_t i = 0; i < p.input_channels; ++i) {
    const int32_t ic = nth(i, p.input_channels, p.reversed);
    for (int32_t j = 0; j < p.channel_multiplier; ++j) {
      const int32_t c = ic * p.channel_multiplier + nth(j, p.channel_multiplier, p.reversed);
      const int32_t sum = window_sum(p, image + pixel + ic, filters + tap + c,
                                     rows.end - rows.first, columns.end - columns.first);
      y[c] = output(c, sum);
    }
  }
}

// All pixels; output(c, sum) is that of a channel.
template <class P, class F>
void outputs(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const int8_t* filters,
             F output) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  const int32_t channels = p.input_channels * p.channel_multiplier;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    pixel_outputs(p, in.x + b * image_size, filters, output, oy * p.stride_height - p.padding_top,
                  ox * p.stride_width - p.padding_left, out.y + number * channels);
  });
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  const FixedPointOutputs<P> output = {p, tables.bias, tables.multiplier, tables.shift};
  outputs(p, in, out, tables.filter, output);
}

}  // namespace opsmith::depthwise_conv_2d::i8
