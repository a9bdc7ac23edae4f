// DepthwiseConv2D, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h,
// DepthwiseConvPerChannel).
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/walk.h"
#include "runtimes/core/window.h"

namespace opsmith::depthwise_conv_2d {

// One output before its bias: the taps inside the image; the rest would add zero.
// `pixel` and `tap` are where the window's first tap inside the image reads its two factors.
template <class S>
int32_t window_sum(const S& s, const int8_t* pixel, const int8_t* tap, int32_t rows,
                   int32_t columns) {
  const int32_t channels = s.input_channels * s.channel_multiplier;
  int32_t sum = 0;
  for (int32_t i = 0; i < rows; ++i) {
    const int8_t* p = pixel + i * s.dilation_height * s.input_width * s.input_channels;
    const int8_t* t = tap + i * s.filter_width * channels;
    for (int32_t j = 0; j < columns; ++j) {
      sum += (*p - s.input_zero_point) * *t;
      p += s.dilation_width * s.input_channels;
      t += channels;
    }
  }
  return sum;
}

// All channels of one output pixel, each read from its input channel before it is written.
template <class S>
void pixel_outputs(const S& s, const int8_t* image, const Tables& tables, int32_t top, int32_t left,
                   int8_t* y) {
  const Taps rows = taps_inside(top, s.input_height, s.filter_height, s.dilation_height);
  const Taps columns = taps_inside(left, s.input_width, s.filter_width, s.dilation_width);
  const int32_t first_row = top + rows.first * s.dilation_height;
  const int32_t first_column = left + columns.first * s.dilation_width;
  const int32_t channels = s.input_channels * s.channel_multiplier;
  const bool inside = rows.first < rows.end && columns.first < columns.end;
  const int32_t pixel = inside ? (first_row * s.input_width + first_column) * s.input_channels : 0;
  const int32_t tap = inside ? (rows.first * s.filter_width + columns.first) * channels : 0;
  for (int32_t i = 0; i < s.input_channels; ++i) {
    const int32_t ic = nth(i, s.input_channels, s.reversed);
    for (int32_t j = 0; j < s.channel_multiplier; ++j) {
      const int32_t c = ic * s.channel_multiplier + nth(j, s.channel_multiplier, s.reversed);
      const int32_t sum = window_sum(s, image + pixel + ic, tables.filter + tap + c,
                                     rows.end - rows.first, columns.end - columns.first);
      const int32_t scaled = multiply_by_quantized_multiplier(
          sum + tables.bias[c], tables.multiplier[c], tables.shift[c]);
      y[c] = static_cast<int8_t>(
          clamp(scaled + s.output_zero_point, s.activation_min, s.activation_max));
    }
  }
}

template <class S>
void depthwise_conv_2d_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                    const Tables& tables) {
  const int32_t image_size = s.input_height * s.input_width * s.input_channels;
  const int32_t channels = s.input_channels * s.channel_multiplier;
  for_each_pixel(s, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    pixel_outputs(s, in.x + b * image_size, tables, oy * s.stride_height - s.padding_top,
                  ox * s.stride_width - s.padding_left, out.y + number * channels);
  });
}

}  // namespace opsmith::depthwise_conv_2d
