// Needs vectors. Fast because one addition serves a channel in each lane, and no mean is a
// division.
#pragma once

#include "runtimes/families/lane_pools.h"
#include "runtimes/simd/words.h"
#include "simd/average_pool_2d.op.h"

namespace opsmith::average_pool_2d::simd {

// The sums of a vector of channels; `x` is the first of them in the window's first pixel.
template <class V, class P, class T>
opsmith::simd::WordLanes<V> sums_of(const P& p, const T* x, int32_t rows, int32_t columns) {
  using Words = opsmith::simd::WordLanes<V>;
  Words sums = Words::repeated(0);
  for (int32_t i = 0; i < rows; ++i, x += p.input_width * p.channels) {
    for (int32_t j = 0; j < columns; ++j) sums = sums + Words::of(V::words(x + j * p.channels));
  }
  return sums;
}

template <class V, class P, class T>
void average(const P& p, const In<T>& in, const Out<T>& out) {
  constexpr int32_t kBits = Mean<T>::kBits;
  for_each_window(p, in.x, out.y, [&p](const Window<T>& window, T* y) {
    const int32_t rows = window.rows, columns = window.columns;
    const Mean<T> mean(rows * columns);
    int32_t c = 0;
    for (; c + V::kLanes <= p.channels; c += V::kLanes) {
      const auto products = sums_of<V>(p, window.pixels + c, rows, columns) * mean.factor;
      const auto found = (products + (1 << (kBits - 1))) >> kBits;
      V::put(clamp(found, p.activation_min, p.activation_max).sums(), y + c);
    }
    for (; c < p.channels; ++c) {
      const int32_t sum = sum_one(p, window.pixels + c, rows, columns);
      y[c] = static_cast<T>(mean.clamped(sum, p.activation_min, p.activation_max));
    }
  });
}

}  // namespace opsmith::average_pool_2d::simd
