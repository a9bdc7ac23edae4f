// Needs an FPU. Fast because one instruction loads eight channels, whose largest elements stay in
// registers.
#pragma once

#include "max_pool_2d.op.h"
#include "runtimes/cmsis/fpu_taps.h"
#include "runtimes/core/limits.h"
#include "runtimes/families/pooling.h"

namespace opsmith::max_pool_2d {

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out) {
  for_each_window(p, in.x, out.y, [&p](const Window<float>& window, float* y) {
    fpu::for_each_eight(p.channels, [&](int32_t c) {
      float largest[fpu::kChannels];
      for (float& each : largest) each = Limits<float>::kLow;
      fpu::larger_taps(taps_of(p, window), window.pixels + c, largest);
      for (int32_t i = 0; i < fpu::kChannels; ++i) {
        y[c + i] = real_clamp(largest[i], p.real_min, p.real_max);
      }
    });
  });
}

}  // namespace opsmith::max_pool_2d
