// Needs an FPU. Fast because one instruction loads eight channels, whose sums stay in registers.
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/cmsis/fpu_taps.h"
#include "runtimes/families/pooling.h"

namespace opsmith::average_pool_2d {

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out) {
  for_each_window(p, in.x, out.y, [&p](const Window<float>& window, float* y) {
    const auto count = static_cast<float>(window.rows * window.columns);
    fpu::for_each_eight(p.channels, [&](int32_t c) {
      float sums[fpu::kChannels];
      fpu::added_taps(taps_of(p, window), window.pixels + c, sums);
      for (int32_t i = 0; i < fpu::kChannels; ++i) {
        y[c + i] = real_clamp(sums[i] / count, p.real_min, p.real_max);
      }
    });
  });
}

}  // namespace opsmith::average_pool_2d
