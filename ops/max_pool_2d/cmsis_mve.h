// Needs Helium. Fast because VMAX compares sixteen channels at once.
#pragma once

#include "max_pool_2d.op.h"
#include "runtimes/cmsis/mve_pixels.h"
#include "runtimes/core/pooling.h"

namespace opsmith::max_pool_2d {

template <class S>
void max_pool_2d_i8_cmsis_mve(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_window(s, in.x, out.y, [&s](const Window& window, int8_t* y) {
    mve::for_each_block(window.pixels, y, s.channels, [&](const int8_t* x, int32_t channels) {
      int8x16_t largest = vdupq_n_s8(INT8_MIN);
      mve::for_each_row(s, window, x, [&](const int8_t* row, int32_t pixels) {
        largest = mve::max_pixels(largest, row, s.channels, pixels, channels);
      });
      return mve::clamped(largest, s.activation_min, s.activation_max);
    });
  });
}

}  // namespace opsmith::max_pool_2d
