// Conv2D of int8, the definition (TFLite: kernels/internal/reference/integer_ops/conv.h).
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/channel_outputs.h"
#include "runtimes/families/convolution.h"

namespace opsmith::conv_2d::i8 {

inline constexpr int32_t kBlock = 16;  // outputs of a pixel that are computed before any is written

// The sum of one output before its bias, by the filter of its channel.
template <class P>
int32_t output_sum(const P& p, const int8_t* image, const int8_t* filter, int32_t top, int32_t left,
                   int32_t c) {
  const int32_t channels_per_group = p.output_channels / (p.input_channels / p.filter_channels);
  const int32_t first = c / channels_per_group * p.filter_channels;
  const auto product = [&p](int32_t x, int32_t w) { return (x - p.input_zero_point) * w; };
  return window_sum<int32_t>(p, image + first, filter, top, left, product);
}

// All channels of one output pixel. Blocks let y come closer to the part of x that is still read.
template <class P, class F>
void pixel_outputs(const P& p, const int8_t* image, const int8_t* filters, F& output, int32_t top,
                   int32_t left, int8_t* y) {
  const int32_t filter_size = p.filter_height * p.filter_width * p.filter_channels;
  for (int32_t c = 0; c < p.output_channels; c += kBlock) {
    const int32_t size = min(kBlock, p.output_channels - c);
    int8_t block[kBlock];
    for (int32_t i = 0; i < size; ++i) {
      const int8_t* filter = filters + (c + i) * filter_size;
      block[i] = output(c + i, output_sum(p, image, filter, top, left, c + i));
    }
    for (int32_t i = 0; i < size; ++i) y[c + i] = block[i];
  }
}

// All pixels; output(c, sum) is that of a channel.
template <class P, class F>
void outputs(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const int8_t* filters,
             F output) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    pixel_outputs(p, in.x + b * image_size, filters, output, oy * p.stride_height - p.padding_top,
                  ox * p.stride_width - p.padding_left, out.y + number * p.output_channels);
  });
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  const FixedPointOutputs<P> output = {p, tables.bias, tables.multiplier, tables.shift};
  outputs(p, in, out, tables.filter, output);
}

}  // namespace opsmith::conv_2d::i8
