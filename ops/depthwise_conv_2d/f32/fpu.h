// Needs an FPU. Fast because eight channels of a pixel go together: their sums stay in registers,
// and one instruction loads their inputs, another their weights.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/real_taps.h"
#include "runtimes/cmsis/fpu_filters.h"

namespace opsmith::depthwise_conv_2d::f32 {

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const fpu::Bounds bounds(p);
  const auto pixel = [&](const WindowTaps& taps, const float* x, const float* filter, float* y) {
    const auto put = p.output_channels == p.input_channels ? fpu::put_pixel<1> : fpu::put_pixel<2>;
    put(taps, x, filter, tables.bias, bounds, p.output_channels, y);
  };
  for_each_window(p, in.x, tables.filter, out.y, pixel);
}

}  // namespace opsmith::depthwise_conv_2d::f32
