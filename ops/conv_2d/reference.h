// Conv2D, the definition (TFLite: kernels/internal/reference/integer_ops/conv.h).
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/fixed_point.h"

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

template <class S>
void conv_2d_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                          const Tables& tables) {
  const int32_t channels_per_group = s.output_channels / (s.input_channels / s.filter_channels);
  const int32_t filter_size = s.filter_height * s.filter_width * s.filter_channels;
  int8_t* y = out.y;
  for (int32_t b = 0; b < s.batches; ++b) {
    const int8_t* image = in.x + b * s.input_height * s.input_width * s.input_channels;
    for (int32_t oy = 0; oy < s.output_height; ++oy) {
      const int32_t top = oy * s.stride_height - s.padding_top;
      for (int32_t ox = 0; ox < s.output_width; ++ox) {
        const int32_t left = ox * s.stride_width - s.padding_left;
        for (int32_t c = 0; c < s.output_channels; ++c) {
          const int32_t first = c / channels_per_group * s.filter_channels;
          const int32_t sum =
              tables.bias[c] +
              window_sum(s, image + first, tables.filter + c * filter_size, top, left);
          const int32_t scaled =
              multiply_by_quantized_multiplier(sum, tables.multiplier[c], tables.shift[c]);
          *y++ = static_cast<int8_t>(
              clamp(scaled + s.output_zero_point, s.activation_min, s.activation_max));
        }
      }
    }
  }
}

}  // namespace opsmith::conv_2d
