// Needs Helium. Fast because VMAX compares sixteen channels at once, or eight of int16.
#pragma once

#include "max_pool_2d.op.h"
#include "runtimes/cmsis/mve_pixels.h"
#include "runtimes/families/pooling.h"

namespace opsmith::max_pool_2d {

template <class P, class T>
void mve(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_window(p, in.x, out.y, [&p](const Window<T>& window, T* y) {
    mve::for_each_block(window.pixels, y, p.channels, [&](const T* x, int32_t channels) {
      auto largest = mve::all(Limits<T>::kLow);
      mve::for_each_row(p, window, x, [&](const T* row, int32_t pixels) {
        largest = mve::max_pixels(largest, row, p.channels, pixels, channels);
      });
      return mve::clamped<T>(largest, p.activation_min, p.activation_max);
    });
  });
}

}  // namespace opsmith::max_pool_2d
