// Conv2D, the definition (TFLite: kernels/internal/reference/integer_ops/conv.h).
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d {

// The sum over the filter's taps that lie inside the image; the rest would add zero.
template <class S>
int32_t window_sum(const S& s, const int8_t* image, const int8_t* filter, int32_t top,
                   int32_t left) {
  int32_t sum = 0;
  for (int32_t fy = 0; fy < s.filter_height; ++fy) {
    const int32_t y = top + fy * s.dilation_height;
    if (y < 0 || y >= s.input_height) continue;
    for (int32_t fx = 0; fx < s.filter_width; ++fx) {
      const int32_t x = left + fx * s.dilation_width;
      if (x < 0 || x >= s.input_width) continue;
      const int8_t* pixel = image + (y * s.input_width + x) * s.input_channels;
      const int8_t* tap = filter + (fy * s.filter_width + fx) * s.filter_channels;
      for (int32_t c = 0; c < s.filter_channels; ++c) {
        sum += (pixel[c] - s.input_zero_point) * tap[c];
      }
    }
  }
  return sum;
}

inline constexpr int32_t kBlock = 16;  // outputs of a pixel that are computed before any is written

template <class S>
int8_t output(const S& s, const int8_t* image, const Tables& tables, int32_t top, int32_t left,
              int32_t c) {
  const int32_t channels_per_group = s.output_channels / (s.input_channels / s.filter_channels);
  const int32_t first = c / channels_per_group * s.filter_channels;
  const int8_t* filter = tables.filter + c * s.filter_height * s.filter_width * s.filter_channels;
  const int32_t sum = tables.bias[c] + window_sum(s, image + first, filter, top, left);
  const int32_t scaled =
      multiply_by_quantized_multiplier(sum, tables.multiplier[c], tables.shift[c]);
  return static_cast<int8_t>(
      clamp(scaled + s.output_zero_point, s.activation_min, s.activation_max));
}

// All channels of one output pixel. Blocks let y come closer to the part of x that is still read.
template <class S>
void pixel_outputs(const S& s, const int8_t* image, const Tables& tables, int32_t top, int32_t left,
                   int8_t* y) {
  for (int32_t c = 0; c < s.output_channels; c += kBlock) {
    const int32_t size = min(kBlock, s.output_channels - c);
    int8_t block[kBlock];
    for (int32_t i = 0; i < size; ++i) block[i] = output(s, image, tables, top, left, c + i);
    for (int32_t i = 0; i < size; ++i) y[c + i] = block[i];
  }
}

template <class S>
void conv_2d_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                          const Tables& tables) {
  const int32_t image_size = s.input_height * s.input_width * s.input_channels;
  for_each_pixel(s, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    pixel_outputs(s, in.x + b * image_size, tables, oy * s.stride_height - s.padding_top,
                  ox * s.stride_width - s.padding_left, out.y + number * s.output_channels);
  });
}

}  // namespace opsmith::conv_2d
