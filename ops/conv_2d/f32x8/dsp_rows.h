// Needs the DSP extension and an FPU. Fast as dsp_rows.h of int8 is: each four inputs serve eight
// channels. For images of few pixels, and for windows of any size.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_windows.h"
#include "ops/conv_2d/f32x8/quantised.h"
#include "runtimes/cmsis/dsp_real_rows.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::conv_2d::f32x8 {

// Puts floats within bounds.
struct Clamped {
  float low, high;

  float operator()(float x) const { return real_clamp(x, low, high); }
};

template <class P, class S>
void dsp_rows(const P& p, const In<float>& in, const Out<float>& out, const Packed& tables,
              const S& scratch) {
  const auto* constants = reinterpret_cast<const dsp::RealRow*>(tables.requantization);
  const int32_t channels = p.output_channels, window = p.window, part = p.part;
  float* y = out.y;
  each_image(p, in.x, scratch.image, [&](const auto& quantised, const dsp::RealOutputs& o) {
    const Clamped clamped = {o.low, o.high};
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      for (int32_t ox = 0; ox < p.output_width; ++ox, y += channels) {
        const int8_t* x = window_row(quantised, scratch.image, oy * p.stride_height - p.padding_top,
                                     ox * p.stride_width - p.padding_left, scratch.window);
        dsp::row_of_reals(o, x, window, part, tables.filter, constants, channels, scratch.products,
                          y, clamped);
      }
    }
  });
}

}  // namespace opsmith::conv_2d::f32x8
