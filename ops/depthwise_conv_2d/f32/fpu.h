// Needs an FPU. Fast because eight channels of a pixel go together: their sums stay in registers,
// and one instruction loads their inputs, another their weights.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/real_taps.h"
#include "runtimes/cmsis/fpu_taps.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::depthwise_conv_2d::f32 {

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const auto pixel = [&](const WindowTaps& taps, const float* x, const float* filter, float* y) {
    fpu::for_each_eight(p.input_channels, [&](int32_t c) {
      float sums[fpu::kChannels];
      fpu::multiplied_taps(taps, x + c, filter + c, sums);
      for (int32_t i = 0; i < fpu::kChannels; ++i) {
        y[c + i] = real_clamp(sums[i] + tables.bias[c + i], p.real_min, p.real_max);
      }
    });
  };
  for_each_window(p, in.x, tables.filter, out.y, pixel);
}

}  // namespace opsmith::depthwise_conv_2d::f32
