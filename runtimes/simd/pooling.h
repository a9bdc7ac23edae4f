// Needs vectors. Fast because a vector has a channel in each lane. V is the instruction set, such
// as avx2.h.
#pragma once

#include <stdint.h>

#include "runtimes/families/pooling.h"
#include "runtimes/simd/joined.h"
#include "runtimes/simd/real_functions.h"
#include "runtimes/simd/reals.h"

namespace opsmith::simd {

struct RootMeanSquare : Mean {
  template <class W>
  static W joined(W sum, W x) {
    return sum + x * x;
  }
  template <class W>
  static W done(W sum, float count) {
    return square_root(sum / count);
  }
};

// y of each window, by a struct of joined.h or this one.
template <class V, class P, class F>
void pooled_reals(const P& p, const float* x, F, float* y) {
  using R = Reals<V>;
  const float low = static_cast<float>(p.real_min), high = static_cast<float>(p.real_max);
  for_each_window(p, x, y, [&](const Window<float>& window, float* pixel) {
    const int32_t channels = p.channels, line = p.input_width * channels;
    const float pixels = static_cast<float>(window.rows * window.columns);
    int32_t c = 0;
    for (; c + R::kLanes <= channels; c += R::kLanes) {
      typename R::Sums found = F::kStart - typename R::Sums{};
      const float* row = window.pixels + c;
      for (int32_t i = 0; i < window.rows; ++i, row += line) {
        for (int32_t j = 0; j < window.columns; ++j) {
          found = F::joined(found, R::weights(row + j * channels));
        }
      }
      R::store(R::clamped(F::done(found, pixels), low, high), pixel + c, R::kLanes);
    }
    for (; c < channels; ++c) {
      pixel[c] = real_clamp(
          F::done(pooled(p, window, c, F::kStart, F::template joined<float>), pixels), low, high);
    }
  });
}

}  // namespace opsmith::simd
