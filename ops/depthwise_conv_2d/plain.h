// Needs Thumb. Fast because windows are copied with their border, so that all are summed up by
// one loop over their taps without a branch, and zero points are in the constants.
#pragma once

#include <string.h>

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/high_product.h"
#include "runtimes/core/walk.h"

namespace opsmith::depthwise_conv_2d {

// The inputs of one output pixel; outside of the image is the zero point.
template <class S>
void copy_window(const S& s, const int8_t* image, int32_t top, int32_t left, int8_t* window) {
  const int32_t pixel = s.input_channels;
  const int32_t right = left + (s.filter_width - 1) * s.dilation_width;
  const bool whole = left >= 0 && right < s.input_width && s.dilation_width == 1;
  for (int32_t fy = 0; fy < s.filter_height; ++fy) {
    const int32_t y = top + fy * s.dilation_height;
    const bool inside = y >= 0 && y < s.input_height;
    if (inside && whole) {
      const int8_t* row = image + (y * s.input_width + left) * pixel;
      memcpy(window, row, static_cast<size_t>(s.filter_width * pixel));
      window += s.filter_width * pixel;
      continue;
    }
    for (int32_t fx = 0; fx < s.filter_width; ++fx, window += pixel) {
      const int32_t x = left + fx * s.dilation_width;
      if (inside && x >= 0 && x < s.input_width) {
        memcpy(window, image + (y * s.input_width + x) * pixel, static_cast<size_t>(pixel));
      } else {
        memset(window, s.input_zero_point, static_cast<size_t>(pixel));
      }
    }
  }
}

// All channels of one output pixel.
template <class Constants, class S>
void pixel_channels(const S& s, const int8_t* window, const int8_t* filter,
                    const Constants* constants, int8_t* y) {
  const int32_t taps = s.filter_height * s.filter_width;
  for (int32_t c = 0; c < s.input_channels; ++c) {
    int32_t sum = 0;
#pragma GCC unroll 9
    for (int32_t i = 0; i < taps; ++i) {
      sum += window[i * s.input_channels + c] * filter[i * s.input_channels + c];
    }
    y[c] = requantize_sum(s, sum, constants[c]);
  }
}

template <class S>
void depthwise_conv_2d_i8_plain(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                const PlainTables& tables, const PlainScratch& scratch) {
  const int32_t size = s.input_height * s.input_width * s.input_channels;
  for_each_pixel(s, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    copy_window(s, in.x + b * size, oy * s.stride_height - s.padding_top,
                ox * s.stride_width - s.padding_left, scratch.window);
    int8_t* y = out.y + number * s.input_channels;
    if (s.right_shift != 0) {
      pixel_channels(s, scratch.window, tables.filter,
                     reinterpret_cast<const Threshold*>(tables.requantization), y);
    } else {
      pixel_channels(s, scratch.window, tables.filter,
                     reinterpret_cast<const Rounding*>(tables.requantization), y);
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d
