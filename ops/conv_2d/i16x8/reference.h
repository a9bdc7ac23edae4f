// Conv2D of int16, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/conv.h). Sums have 64 bits.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/narrow.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i16x8 {

// The sum over the filter's taps that lie inside the image.
template <class P>
int64_t window_sum(const P& p, const int16_t* image, const int8_t* filter, int32_t top,
                   int32_t left) {
  int64_t sum = 0;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    if (y < 0 || y >= p.input_height) continue;
    for (int32_t fx = 0; fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      if (x < 0 || x >= p.input_width) continue;
      const int16_t* pixel = image + (y * p.input_width + x) * p.input_channels;
      const int8_t* tap = filter + (fy * p.filter_width + fx) * p.filter_channels;
      for (int32_t c = 0; c < p.filter_channels; ++c) sum += pixel[c] * tap[c];
    }
  }
  return sum;
}

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Tables& tables) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  const int32_t filter_size = p.filter_height * p.filter_width * p.filter_channels;
  const int32_t channels_per_group = p.output_channels / (p.input_channels / p.filter_channels);
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    int16_t* y = out.y + number * p.output_channels;
    for (int32_t c = 0; c < p.output_channels; ++c) {
      const int16_t* image = in.x + b * image_size + c / channels_per_group * p.filter_channels;
      const int64_t sum =
          tables.bias[c] + window_sum(p, image, tables.filter + c * filter_size, top, left);
      y[c] = narrowed(p, sum, tables.multiplier[c], tables.shift[c]);
    }
  });
}

}  // namespace opsmith::conv_2d::i16x8
