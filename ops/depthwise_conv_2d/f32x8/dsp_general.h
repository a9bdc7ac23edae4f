// Needs the DSP extension and an FPU. Fast as dsp_general.h of int8 is: of each four weights that
// are loaded, four outputs take their products at once. For filters of any size.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/f32x8/quantised.h"
#include "ops/depthwise_conv_2d/i8/dsp_general.h"

namespace opsmith::depthwise_conv_2d::f32x8 {

template <class P, class S>
void dsp_general(const P& p, const In<float>& in, const Out<float>& out, const Packed& tables,
                 const S& scratch) {
  const auto* constants = reinterpret_cast<const dsp::RealChannel*>(tables.requantization);
  const int32_t words = p.filter_lines * p.filter_words;
  float* y = out.y;
  const auto outputs = [&](const dsp::RealOutputs& o) {
    const auto* weights = reinterpret_cast<const uint32_t*>(tables.filter);
    for (int32_t i = 0, c = 0; i < p.channels; ++i) {
      i8::fill_lines(p, scratch.image + i, scratch.plane);
      for (int32_t f = 0; f < p.channel_multiplier; ++f, ++c, weights += words) {
        const dsp::RealSums sums = dsp::real_sums(o, constants[c]);
        dsp::with_bounds(o, [&](auto bounds) {
          i8::output_lines(p, bounds, scratch.plane, weights, sums, y + c);
        });
      }
    }
    y += p.output_bytes;
  };
  each_image(p, in.x, p.input_bytes, scratch.image, scratch.plane, p.plane_bytes, outputs);
}

}  // namespace opsmith::depthwise_conv_2d::f32x8
