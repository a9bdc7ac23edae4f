// DepthwiseConv2D of int16, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h,
// DepthwiseConvPerChannel). Sums have 64 bits.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/narrow.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

// The sum over the filter's taps that lie inside the image, for one channel: `image` and `filter`
// begin with it.
template <class P>
int64_t window_sum(const P& p, const int16_t* image, const int8_t* filter, int32_t top,
                   int32_t left) {
  const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
  const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
  int64_t sum = 0;
  for (int32_t fy = rows.first; fy < rows.end; ++fy) {
    for (int32_t fx = columns.first; fx < columns.end; ++fx) {
      const int32_t pixel =
          (top + fy * p.dilation_height) * p.input_width + left + fx * p.dilation_width;
      const int32_t tap = (fy * p.filter_width + fx) * p.channel_multiplier;
      sum += image[pixel * p.input_channels] * filter[tap * p.input_channels];
    }
  }
  return sum;
}

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Tables& tables) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  const int32_t channels = p.input_channels * p.channel_multiplier;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    int16_t* y = out.y + number * channels;
    for (int32_t c = 0; c < channels; ++c) {
      const int16_t* image = in.x + b * image_size + c / p.channel_multiplier;
      const int64_t sum = window_sum(p, image, tables.filter + c, top, left) + tables.bias[c];
      y[c] = narrowed(p, sum, tables.multiplier[c], tables.shift[c]);
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d::i16x8
