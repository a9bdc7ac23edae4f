// DepthwiseConv2DI16x8, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h,
// DepthwiseConvPerChannel). Sums have 64 bits.
#pragma once

#include "depthwise_conv_2d_i16x8.op.h"
#include "runtimes/core/narrow.h"
#include "runtimes/core/walk.h"
#include "runtimes/core/window.h"

namespace opsmith::depthwise_conv_2d_i16x8 {

// The sum over the filter's taps that lie inside the image, for one channel: `image` and `filter`
// begin with it.
template <class S>
int64_t window_sum(const S& s, const int16_t* image, const int8_t* filter, int32_t top,
                   int32_t left) {
  const Taps rows = taps_inside(top, s.input_height, s.filter_height, s.dilation_height);
  const Taps columns = taps_inside(left, s.input_width, s.filter_width, s.dilation_width);
  int64_t sum = 0;
  for (int32_t fy = rows.first; fy < rows.end; ++fy) {
    for (int32_t fx = columns.first; fx < columns.end; ++fx) {
      const int32_t pixel =
          (top + fy * s.dilation_height) * s.input_width + left + fx * s.dilation_width;
      const int32_t tap = (fy * s.filter_width + fx) * s.channel_multiplier;
      sum += image[pixel * s.input_channels] * filter[tap * s.input_channels];
    }
  }
  return sum;
}

template <class S>
void depthwise_conv_2d_i16x8_reference(const S& s, const In& in, const Out& out,
                                       const Tables& tables) {
  const int32_t image_size = s.input_height * s.input_width * s.input_channels;
  const int32_t channels = s.input_channels * s.channel_multiplier;
  for_each_pixel(s, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * s.stride_height - s.padding_top;
    const int32_t left = ox * s.stride_width - s.padding_left;
    int16_t* y = out.y + number * channels;
    for (int32_t c = 0; c < channels; ++c) {
      const int16_t* image = in.x + b * image_size + c / s.channel_multiplier;
      const int64_t sum = window_sum(s, image, tables.filter + c, top, left) + tables.bias[c];
      y[c] = narrowed(s, sum, tables.multiplier[c], tables.shift[c]);
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d_i16x8
