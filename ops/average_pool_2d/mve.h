// Needs Helium. Fast because a vector has sixteen channels, or eight of int16, and because one
// division serves all channels of a window. For windows of few pixels.
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/cmsis/mve_pixels.h"
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

}  // namespace opsmith::average_pool_2d
