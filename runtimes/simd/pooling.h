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

// y of some vectors of channels, which are summed side by side, as lines of caches have them.
template <class V, int kVectors, class F>
[[gnu::always_inline]] inline void pool_vectors(F, const Window<float>& window, int32_t line,
                                                int32_t channels, int32_t c, float low, float high,
                                                float* y) {
  using R = Reals<V>;
  const float pixels = static_cast<float>(window.rows * window.columns);
  typename R::Sums found[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) found[k] = F::kStart - typename R::Sums{};
  const float* row = window.pixels + c;
  for (int32_t i = 0; i < window.rows; ++i, row += line) {
    for (int32_t j = 0; j < window.columns; ++j) {
#pragma GCC unroll 4
      for (int k = 0; k < kVectors; ++k) {
        found[k] = F::joined(found[k], R::weights(row + j * channels + k * R::kLanes));
      }
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) {
    R::store(R::clamped(F::done(found[k], pixels), low, high), y + c + k * R::kLanes, R::kLanes);
  }
}

// y of each window, by a struct of joined.h or this one.
template <class V, class P, class F>
void pooled_reals(const P& p, const float* x, F join, float* y) {
  constexpr int32_t kLanes = V::kLanes, kFour = 4 * kLanes;
  const float low = static_cast<float>(p.real_min), high = static_cast<float>(p.real_max);
  for_each_window(p, x, y, [&](const Window<float>& window, float* pixel) {
    const int32_t channels = p.channels, line = p.input_width * channels;
    const float pixels = static_cast<float>(window.rows * window.columns);
    int32_t c = 0;
    for (; c + kFour <= channels; c += kFour) {
      pool_vectors<V, 4>(join, window, line, channels, c, low, high, pixel);
    }
    for (; c + kLanes <= channels; c += kLanes) {
      pool_vectors<V, 1>(join, window, line, channels, c, low, high, pixel);
    }
    for (; c < channels; ++c) {
      pixel[c] = real_clamp(
          F::done(pooled(p, window, c, F::kStart, F::template joined<float>), pixels), low, high);
    }
  });
}

}  // namespace opsmith::simd
