// Needs Helium. Fast because VMAX compares sixteen channels at once, or eight of int16.
#pragma once

#include "ops/max_pool_2d/reference.h"
#include "runtimes/cmsis/mve_pixels.h"
#include "runtimes/cmsis/mve_real_taps.h"
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

// The same of float32: sixteen channels in four vectors, or up to four in one.
template <class P>
void mve(const P& p, const In<float>& in, const Out<float>& out) {
  mve::real::Subnormals subnormals;
  for_each_window(p, in.x, out.y, [&p](const Window<float>& window, float* y) {
    for (int32_t c = 0, channels; c < p.channels; c += channels) {
      channels = mve::real::together(p.channels - c);
      float largest[mve::real::kMostChannels];
      for (float& each : largest) each = Limits<float>::kLow;
      mve::real::larger_taps(taps_of(p, window), window.pixels + c, channels, largest);
      if (__builtin_expect(mve::real::Subnormals::taken() != 0, false)) {
        for (int32_t i = 0; i < channels; ++i) {
          largest[i] = pooled(p, window, c + i, Limits<float>::kLow, Greater{});
        }
      }
      for (int32_t i = 0; i < channels; ++i) {
        y[c + i] = real_clamp(largest[i], p.real_min, p.real_max);
      }
    }
  });
}

}  // namespace opsmith::max_pool_2d
