// Needs vectors. Fast because lanes are output channels: each sum adds its products in order, every
// one rounded before, and so gives the bytes of the definition. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/core/real_clamp.h"
#include "runtimes/simd/rows.h"

namespace opsmith::simd {

// Vectors of float32 as wide as those of the instruction set V, for rows.h.
template <class V>
struct Reals {
  static constexpr int32_t kLanes = V::kLanes, kGroup = 1, kRows = V::kRows, kBlocks = V::kBlocks;
  using Input = float;
  using Sums [[gnu::vector_size(4 * V::kLanes)]] = float;
  using Bools [[gnu::vector_size(4 * V::kLanes)]] = int32_t;
  using Weights = Sums;

  static Sums zero() { return Sums{}; }
  static Sums weights(const float* w) {
    Sums found;
    memcpy(&found, w, sizeof found);
    return found;
  }
  // A float in all lanes: -0 stays, which x + 0 would change.
  static Sums repeated(const float* x) { return *x - Sums{}; }
  static Sums add_products(Sums sums, Sums w, Sums x) { return sums + w * x; }

  static void copy(const float* x, int32_t n, float* to) {
    if (!copied<4 * kLanes>(x, n, to) && !copied<16>(x, n, to) && !copied<8>(x, n, to) && n > 0) {
      memcpy(to, x, sizeof(float));
    }
  }
  // Copies parts of kBytes, of which the last ends at the last float; false where none fits.
  template <size_t kBytes>
  static bool copied(const float* x, int32_t n, float* to) {
    constexpr int32_t kFloats = kBytes / sizeof(float);
    if (n < kFloats) return false;
    for (int32_t i = 0; i + kFloats < n; i += kFloats) memcpy(to + i, x + i, kBytes);
    memcpy(to + n - kFloats, x + n - kFloats, kBytes);
    return true;
  }
  static void repeat(float x, int32_t n, float* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = x;
  }

  // Within bounds as real_clamp has it; of Sums{} + low, a zero would lose its sign.
  static Sums clamped(Sums sums, float low, float high) {
    sums = sums < low ? low - Sums{} : sums;
    return sums > high ? high - Sums{} : sums;
  }
  static void store(Sums found, float* y, int32_t n) {
    if (n >= kLanes) {
      memcpy(y, &found, sizeof found);
    } else {
      memcpy(y, &found, sizeof(float) * static_cast<size_t>(n));
    }
  }
};

// Weights of all channels in blocks, as Channels has them, a bias for each lane, and bounds.
struct RealChannels {
  using Output = float;
  int32_t count;
  int32_t groups;  // inputs of a row
  const float* weights;
  const float* bias;
  float low;
  float high;
};

template <class V, int kRows, int kBlocks>
[[gnu::always_inline]] inline void put(const RealChannels& c, int32_t block,
                                       const typename V::Sums (&sums)[kRows][kBlocks],
                                       int32_t count, float* y) {
  const int32_t width = min(c.count, V::kLanes), channels = c.count;
#pragma GCC unroll 8
  for (int j = 0; j < kBlocks; ++j) {
    const typename V::Sums bias = V::weights(c.bias + (block + j) * V::kLanes);
    const int32_t first = min((block + j) * V::kLanes, channels - width);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      if (i >= count) continue;
      V::store(V::clamped(sums[i][j] + bias, c.low, c.high), y + i * channels + first, width);
    }
  }
}

// All channels of any number of rows, one after the other: none that is not there is read.
template <class V>
void multiply_all(const RealChannels& c, const float* rows, int32_t count, float* y) {
  int32_t i = 0;
  for (; i + V::kRows <= count; i += V::kRows) {
    multiply<V>(c, rows + i * c.groups, V::kRows, y + i * c.count);
  }
  for (; i < count; ++i) multiply<V>(c, rows + i * c.groups, 1, y + i * c.count);
}

}  // namespace opsmith::simd
