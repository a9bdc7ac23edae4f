// DepthwiseConv2D, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h,
// DepthwiseConvPerChannel).
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/fixed_point.h"
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

// All channels of one output pixel.
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
  int32_t c = 0;
  for (int32_t ic = 0; ic < s.input_channels; ++ic) {
    for (int32_t m = 0; m < s.channel_multiplier; ++m) {
      const int32_t sum = window_sum(s, image + pixel + ic, tables.filter + tap + c,
                                     rows.end - rows.first, columns.end - columns.first);
      const int32_t scaled = multiply_by_quantized_multiplier(
          sum + tables.bias[c], tables.multiplier[c], tables.shift[c]);
      y[c++] = static_cast<int8_t>(
          clamp(scaled + s.output_zero_point, s.activation_min, s.activation_max));
    }
  }
}

template <class S>
void depthwise_conv_2d_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                    const Tables& tables) {
  int8_t* y = out.y;
  for (int32_t b = 0; b < s.batches; ++b) {
    const int8_t* image = in.x + b * s.input_height * s.input_width * s.input_channels;
    for (int32_t oy = 0; oy < s.output_height; ++oy) {
      for (int32_t ox = 0; ox < s.output_width; ++ox) {
        pixel_outputs(s, image, tables, oy * s.stride_height - s.padding_top,
                      ox * s.stride_width - s.padding_left, y);
        y += s.input_channels * s.channel_multiplier;
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d
