// DepthwiseConv2DF32, the definition
// (tensorflow/lite/kernels/internal/reference/depthwiseconv_float.h). Products are rounded before
// they are added: -ffp-contract=off.
#pragma once

#include "depthwise_conv_2d_f32.op.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/core/walk.h"

namespace opsmith::depthwise_conv_2d_f32 {

// The sum over the filter's taps that lie inside the image.
template <class S>
float window_sum(const S& s, const float* image, const float* filter, int32_t top, int32_t left) {
  float sum = 0;
  for (int32_t fy = 0; fy < s.filter_height; ++fy) {
    const int32_t y = top + fy * s.dilation_height;
    if (y < 0 || y >= s.input_height) continue;
    for (int32_t fx = 0; fx < s.filter_width; ++fx) {
      const int32_t x = left + fx * s.dilation_width;
      if (x < 0 || x >= s.input_width) continue;
      const float* pixel = image + (y * s.input_width + x) * s.input_channels;
      const float* tap = filter + (fy * s.filter_width + fx) * s.filter_channels;
      sum += *pixel * *tap;
    }
  }
  return sum;
}

template <class S>
void depthwise_conv_2d_f32_reference(const S& s, const In& in, const Out& out,
                                     const Tables& tables) {
  const int32_t image_size = s.input_height * s.input_width * s.input_channels;
  const int32_t multiplier = s.output_channels / s.input_channels;
  for_each_pixel(s, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * s.stride_height - s.padding_top;
    const int32_t left = ox * s.stride_width - s.padding_left;
    float* y = out.y + number * s.output_channels;
    for (int32_t c = 0; c < s.output_channels; ++c) {
      const float* image = in.x + b * image_size + c / multiplier;
      const float sum = window_sum(s, image, tables.filter + c, top, left);
      y[c] = real_clamp(sum + tables.bias[c], s.real_min, s.real_max);
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d_f32
