// Needs Helium. Fast because a vector has sixteen channels, or eight of int16, and because one
// division serves all channels of a window. For windows of few pixels.
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/cmsis/mve_pixels.h"
#include "runtimes/cmsis/mve_real_taps.h"
#include "runtimes/core/lanes.h"
#include "runtimes/families/pooling.h"

namespace opsmith::average_pool_2d {

template <class P, class T>
void mve(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_window(p, in.x, out.y, [&p](const Window<T>& window, T* y) {
    const int32_t factor = reciprocal(window.rows * window.columns);
    mve::for_each_block(window.pixels, y, p.channels, [&](const T* x, int32_t channels) {
      auto sums = mve::none(T{});
      mve::for_each_row(p, window, x, [&](const T* row, int32_t pixels) {
        mve::add_pixels(sums, row, p.channels, pixels, channels);
      });
      int32x4_t words[mve::kWords<T>];
      mve::words_of(sums, words);
#pragma GCC unroll 4
      for (int32x4_t& four : words) four = vqrdmulhq_n_s32(four, factor);
      const auto means = mve::fitting<T>(words);
      return mve::clamped<T>(means, p.activation_min, p.activation_max);
    });
  });
}

// The same of float32: sixteen channels in four vectors, or up to four in one.
template <class P>
void mve(const P& p, const In<float>& in, const Out<float>& out) {
  mve::real::Subnormals subnormals;
  for_each_window(p, in.x, out.y, [&p](const Window<float>& window, float* y) {
    const auto count = static_cast<float>(window.rows * window.columns);
    for (int32_t c = 0, channels; c < p.channels; c += channels) {
      channels = mve::real::together(p.channels - c);
      float sums[mve::real::kMostChannels];
      mve::real::added_taps(taps_of(p, window), window.pixels + c, channels, sums);
      if (__builtin_expect(mve::real::Subnormals::taken() != 0, false)) {
        const auto add = [](float sum, float x) { return sum + x; };
        for (int32_t i = 0; i < channels; ++i) sums[i] = pooled(p, window, c + i, 0.0f, add);
      }
      for (int32_t i = 0; i < channels; ++i) {
        y[c + i] = real_clamp(sums[i] / count, p.real_min, p.real_max);
      }
    }
  });
}

}  // namespace opsmith::average_pool_2d
