// Conv2D of float32 by int8 filters, the definition (EvalHybrid and EvalHybridPerChannel in
// tensorflow/lite/kernels/conv.cc).
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/dynamic_range.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/families/convolution.h"

namespace opsmith::conv_2d::f32x8 {

// What a sum of channel c is, as a float.
template <class P>
float rescaled(const P& p, int32_t sum, float scale, float image_scale) {
  const float real = static_cast<float>(sum);
  return p.by_channel ? real * scale * image_scale : real * (image_scale * scale);
}

// All channels of one pixel, from an image that is quantised.
template <class P>
void pixel_outputs(const P& p, const int8_t* image, const DynamicRange& range, const Tables& tables,
                   int32_t top, int32_t left, float* y) {
  const int32_t filter_size = p.filter_height * p.filter_width * p.filter_channels;
  const int32_t channels_per_group = p.output_channels / (p.input_channels / p.filter_channels);
  const auto product = [&range](int32_t x, int32_t w) { return (x - range.zero_point) * w; };
  for (int32_t c = 0; c < p.output_channels; ++c) {
    const int8_t* first = image + c / channels_per_group * p.filter_channels;
    const int8_t* filter = tables.filter + c * filter_size;
    const int32_t sum = window_sum<int32_t>(p, first, filter, top, left, product);
    const float real = rescaled(p, sum, tables.scale[c], range.scale);
    y[c] = real_clamp(real + tables.bias[c], p.real_min, p.real_max);
  }
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables,
               const ReferenceScratch& scratch) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  float* y = out.y;
  for (int32_t b = 0; b < p.batches; ++b) {
    const float* image = in.x + b * image_size;
    const DynamicRange range = p.by_channel ? quantize_asymmetric(image, image_size, scratch.image)
                                            : quantize_symmetric(image, image_size, scratch.image);
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      for (int32_t ox = 0; ox < p.output_width; ++ox) {
        pixel_outputs(p, scratch.image, range, tables, oy * p.stride_height - p.padding_top,
                      ox * p.stride_width - p.padding_left, y);
        y += p.output_channels;
      }
    }
  }
}

}  // namespace opsmith::conv_2d::f32x8
