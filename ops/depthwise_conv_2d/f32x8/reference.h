// DepthwiseConv2D of float32 by int8 filters, the definition (DepthwiseConvHybridPerChannel in
// tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h).
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/core/dynamic_range.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/families/convolution.h"

namespace opsmith::depthwise_conv_2d::f32x8 {

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables,
               const ReferenceScratch& scratch) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  const int32_t channels = p.input_channels * p.channel_multiplier;
  float* y = out.y;
  for (int32_t b = 0; b < p.batches; ++b) {
    const DynamicRange range =
        quantize_asymmetric(in.x + b * image_size, image_size, scratch.image);
    const auto product = [&range](int32_t x, int32_t w) { return (x - range.zero_point) * w; };
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      const int32_t top = oy * p.stride_height - p.padding_top;
      for (int32_t ox = 0; ox < p.output_width; ++ox) {
        const int32_t left = ox * p.stride_width - p.padding_left;
        for (int32_t c = 0; c < channels; ++c) {
          const int8_t* image = scratch.image + c / p.channel_multiplier;
          const int32_t sum =
              channel_sum<int32_t>(p, image, tables.filter + c, channels, top, left, product);
          const float real = static_cast<float>(sum) * (tables.scale[c] * range.scale);
          *y++ = real_clamp(real + tables.bias[c], p.real_min, p.real_max);
        }
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d::f32x8
