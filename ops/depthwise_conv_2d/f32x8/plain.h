// Needs Thumb, or RV32M. Fast as plain.h of int8 is: windows of a quantised image are copied with
// their border, and sums become floats.
#pragma once

#include "ops/depthwise_conv_2d/i8/plain.h"
#include "runtimes/core/soft_dynamic_range.h"

namespace opsmith::depthwise_conv_2d::f32x8 {

// All channels of one output pixel.
template <class P>
void pixel_reals(const P& p, const soft::RealOutputs& o, const int8_t* window, const int8_t* filter,
                 const soft::RealChannel* constants, const float* scales, float* y) {
  const int32_t taps = p.filter_height * p.filter_width;
  const int32_t inputs = p.input_channels, filters = p.channel_multiplier;
  const int32_t channels = inputs * filters;
  for (int32_t i = 0, c = 0; i < inputs; ++i) {
    for (const int32_t end = c + filters; c != end; ++c) {
      int32_t sum = 0;
#pragma GCC unroll 9
      for (int32_t tap = 0; tap < taps; ++tap) {
        sum += window[tap * inputs + i] * filter[tap * channels + c];
      }
      y[c] = soft::real_of(o, constants[c], scales[c], sum);
    }
  }
}

template <class P, class S>
void plain(const P& p, const In<float>& in, const Out<float>& out, const Packed& tables,
           const S& scratch) {
  const auto* constants = reinterpret_cast<const soft::RealChannel*>(tables.requantization);
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  const int32_t channels = p.input_channels * p.channel_multiplier;
  const float* x = in.x;
  float* y = out.y;
  for (int32_t b = 0; b < p.batches; ++b, x += size) {
    const DynamicRange range = soft::quantized_by_range(x, size, true, scratch.image);
    const soft::Bordered<P> bordered = {p, range.zero_point};
    const soft::RealOutputs o =
        soft::real_outputs(p, range, false, constants, channels, scratch.scales);
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      for (int32_t ox = 0; ox < p.output_width; ++ox, y += channels) {
        i8::copy_window(bordered, scratch.image, oy * p.stride_height - p.padding_top,
                        ox * p.stride_width - p.padding_left, scratch.window);
        pixel_reals(p, o, scratch.window, tables.filter, constants, scratch.scales, y);
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d::f32x8
