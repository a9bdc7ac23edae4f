// Conv2D of int8, the definition (TFLite: kernels/internal/reference/integer_ops/conv.h).
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// The sum over the filter's taps that lie inside the image; the rest would add zero.
template <class P>
int32_t window_sum(const P& p, const int8_t* image, const int8_t* filter, int32_t top,
                   int32_t left) {
  int32_t sum = 0;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    if (y < 0 || y >= p.input_height) continue;
    for (int32_t fx = 0; fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      if (x < 0 || x >= p.input_width) continue;
      const int8_t* pixel = image + (y * p.input_width + x) * p.input_channels;
      const int8_t* tap = filter + (fy * p.filter_width + fx) * p.filter_channels;
      for (int32_t c = 0; c < p.filter_channels; ++c) {
        sum += (pixel[c] - p.input_zero_point) * tap[c];
      }
    }
  }
  return sum;
}

inline constexpr int32_t kBlock = 16;  // outputs of a pixel that are computed before any is written

template <class P>
int8_t output(const P& p, const int8_t* image, const Tables& tables, int32_t top, int32_t left,
              int32_t c) {
  const int32_t channels_per_group = p.output_channels / (p.input_channels / p.filter_channels);
  const int32_t first = c / channels_per_group * p.filter_channels;
  const int8_t* filter = tables.filter + c * p.filter_height * p.filter_width * p.filter_channels;
  const int32_t sum = tables.bias[c] + window_sum(p, image + first, filter, top, left);
  const int32_t scaled =
      multiply_by_quantized_multiplier(sum, tables.multiplier[c], tables.shift[c]);
  return static_cast<int8_t>(
      clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
}

// All channels of one output pixel. Blocks let y come closer to the part of x that is still read.
template <class P>
void pixel_outputs(const P& p, const int8_t* image, const Tables& tables, int32_t top, int32_t left,
                   int8_t* y) {
  for (int32_t c = 0; c < p.output_channels; c += kBlock) {
    const int32_t size = min(kBlock, p.output_channels - c);
    int8_t block[kBlock];
    for (int32_t i = 0; i < size; ++i) block[i] = output(p, image, tables, top, left, c + i);
    for (int32_t i = 0; i < size; ++i) y[c + i] = block[i];
  }
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    pixel_outputs(p, in.x + b * image_size, tables, oy * p.stride_height - p.padding_top,
                  ox * p.stride_width - p.padding_left, out.y + number * p.output_channels);
  });
}

}  // namespace opsmith::conv_2d::i8
