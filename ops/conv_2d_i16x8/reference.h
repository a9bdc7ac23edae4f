// Conv2DI16x8, the definition (tensorflow/lite/kernels/internal/reference/integer_ops/conv.h). Sums
// have 64 bits.
#pragma once

#include "conv_2d_i16x8.op.h"
#include "runtimes/core/narrow.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d_i16x8 {

// The sum over the filter's taps that lie inside the image.
template <class S>
int64_t window_sum(const S& s, const int16_t* image, const int8_t* filter, int32_t top,
                   int32_t left) {
  int64_t sum = 0;
  for (int32_t fy = 0; fy < s.filter_height; ++fy) {
    const int32_t y = top + fy * s.dilation_height;
    if (y < 0 || y >= s.input_height) continue;
    for (int32_t fx = 0; fx < s.filter_width; ++fx) {
      const int32_t x = left + fx * s.dilation_width;
      if (x < 0 || x >= s.input_width) continue;
      const int16_t* pixel = image + (y * s.input_width + x) * s.input_channels;
      const int8_t* tap = filter + (fy * s.filter_width + fx) * s.filter_channels;
      for (int32_t c = 0; c < s.filter_channels; ++c) sum += pixel[c] * tap[c];
    }
  }
  return sum;
}

template <class S>
void conv_2d_i16x8_reference(const S& s, const In& in, const Out& out, const Tables& tables) {
  const int32_t image_size = s.input_height * s.input_width * s.input_channels;
  const int32_t filter_size = s.filter_height * s.filter_width * s.filter_channels;
  const int32_t channels_per_group = s.output_channels / (s.input_channels / s.filter_channels);
  for_each_pixel(s, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * s.stride_height - s.padding_top;
    const int32_t left = ox * s.stride_width - s.padding_left;
    int16_t* y = out.y + number * s.output_channels;
    for (int32_t c = 0; c < s.output_channels; ++c) {
      const int16_t* image = in.x + b * image_size + c / channels_per_group * s.filter_channels;
      const int64_t sum =
          tables.bias[c] + window_sum(s, image, tables.filter + c * filter_size, top, left);
      y[c] = narrowed(s, sum, tables.multiplier[c], tables.shift[c]);
    }
  });
}

}  // namespace opsmith::conv_2d_i16x8
