// Needs Helium with floats. Fast because sixteen channels of a pixel go together in four vectors,
// whose sums stay in registers.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/real_taps.h"
#include "runtimes/cmsis/mve_real_taps.h"

namespace opsmith::depthwise_conv_2d::f32 {

// The sum of one channel, as vectors do not make it where numbers are subnormal.
inline float sum_of_taps(const WindowTaps& t, const float* x, const float* weights) {
  float sum = 0;
  for (int32_t i = 0; i < t.rows; ++i) {
    for (int32_t j = 0; j < t.columns; ++j) {
      sum += x[i * t.x_row + j * t.x_step] * weights[i * t.weight_row + j * t.weight_step];
    }
  }
  return sum;
}

template <class P>
void mve(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const mve::real::Bounds bounds = {static_cast<float>(p.real_min), static_cast<float>(p.real_max)};
  const auto pixel = [&](const WindowTaps& taps, const float* x, const float* filter, float* y) {
    for (int32_t c = 0, channels; c < p.input_channels; c += channels) {
      channels = mve::real::together(p.input_channels - c);
      if (mve::real::put_products(taps, x + c, filter + c, channels, tables.bias + c, bounds,
                                  y + c)) {
        continue;
      }
      float sums[mve::real::kMostChannels];
      for (int32_t i = 0; i < channels; ++i) {
        sums[i] = sum_of_taps(taps, x + c + i, filter + c + i) + tables.bias[c + i];
      }
      for (int32_t i = 0; i < channels; ++i) y[c + i] = real_clamp(sums[i], p.real_min, p.real_max);
      mve::real::Subnormals::taken();
    }
  };
  mve::real::Subnormals subnormals;
  for_each_window(p, in.x, tables.filter, out.y, pixel);
}

}  // namespace opsmith::depthwise_conv_2d::f32
