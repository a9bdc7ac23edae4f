// Needs the DSP extension and an FPU. Fast as dsp.h is, for filters that read a group of channels
// each: the windows of four pixels are spread group by group, and serve all filters of the group.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_windows.h"
#include "ops/conv_2d/f32x8/dsp.h"

namespace opsmith::conv_2d::f32x8 {

template <class P, class S>
void dsp_grouped(const P& p, const In<float>& in, const Out<float>& out, const Packed& tables,
                 const S& scratch) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t words = p.window / 2 * dsp::kPixels;
  const int32_t channels = p.output_channels / p.groups, pairs = (channels + 1) / 2;
  const auto outputs = [&](const auto& quantised, const dsp::RealOutputs& o, int32_t first,
                           int32_t count, float* y) {
    const auto* weights = reinterpret_cast<const uint32_t*>(tables.filter);
    const auto* constants = reinterpret_cast<const dsp::RealChannel*>(tables.requantization);
    for (int32_t g = 0; g < p.groups; ++g) {
      for (int32_t k = 0; k < count; ++k) {
        const int32_t row = (first + k) / p.output_width;
        const int32_t column = first + k - row * p.output_width;
        spread_group(quantised, scratch.image + g * p.filter_channels,
                     row * p.stride_height - p.padding_top,
                     column * p.stride_width - p.padding_left, scratch.window, columns + k);
      }
      dsp::four_real_pixels(o, columns, words, weights, constants, channels, p.output_channels,
                            y + g * channels);
      weights += pairs * p.window / 2;
      constants += 2 * pairs;
    }
  };
  each_four_pixels(p, in, out, scratch, outputs);
}

}  // namespace opsmith::conv_2d::f32x8
