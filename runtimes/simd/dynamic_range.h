// Needs vectors. Fast because floats are quantised a vector at a time, and integers by integers
// take instructions that add several products in each lane.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/core/dynamic_range.h"
#include "runtimes/simd/real_steps.h"
#include "runtimes/simd/reals.h"
#include "runtimes/simd/rows.h"
#include "runtimes/simd/windows.h"
#include "runtimes/simd/words.h"

namespace opsmith::simd {

template <class V>
Extent extent_in_vectors(const float* x, int32_t size) {
  using R = Reals<V>;
  constexpr int32_t kVectors = 4;
  typename R::Sums low[kVectors] = {}, high[kVectors] = {};
  const auto reach = [&](int32_t at, int32_t k) {
    const auto here = R::weights(x + at);
    low[k] = here < low[k] ? here : low[k];
    high[k] = here > high[k] ? here : high[k];
  };
  int32_t i = 0;
  for (; i + kVectors * R::kLanes <= size; i += kVectors * R::kLanes) {
#pragma GCC unroll 4
    for (int32_t k = 0; k < kVectors; ++k) reach(i + k * R::kLanes, k);
  }
  for (; i + R::kLanes <= size; i += R::kLanes) reach(i, 0);
  Extent found = extent_of(x + i, size - i);
  for (int32_t k = 0; k < kVectors; ++k) {
    for (int32_t lane = 0; lane < R::kLanes; ++lane) {
      if (low[k][lane] < found.low) found.low = low[k][lane];
      if (high[k][lane] > found.high) found.high = high[k][lane];
    }
  }
  return found;
}

// As quantize_by: products that are too large, or NaN, are taken for one below all elements.
template <class V>
void quantize_in_vectors(const Quantiser& by, const float* x, int32_t size, int8_t* q) {
  using R = Reals<V>;
  using Words = WordLanes<V>;
  constexpr typename R::Sums kZero = {};
  const auto below = -256.0f - kZero, half = 0.49999997f - kZero;
  int32_t i = 0;
  for (; i + R::kLanes <= size; i += R::kLanes) {
    const auto scaled = R::weights(x + i) * by.inverse;
    const auto near = (scaled > -256.0f) & (scaled < 256.0f) ? scaled : below;
    const auto rounded = near + with_sign(half, near);
    const Words found{__builtin_convertvector(rounded, typename Words::Lanes)};
    V::put(clamp(found + by.range.zero_point, by.least, 127).sums(), q + i);
  }
  quantize_by(by, x + i, size - i, q + i);
}

template <class V>
[[gnu::noinline]] DynamicRange quantized_by_range(const float* x, int32_t size, bool asymmetric,
                                                  int8_t* q) {
  const Extent extent = extent_in_vectors<V>(x, size);
  const Quantiser by = asymmetric ? asymmetric_quantiser(extent) : symmetric_quantiser(extent);
  quantize_in_vectors<V>(by, x, size, q);
  return by.range;
}

// How sums of an image become floats.
struct RealScale {
  float of_scales;     // multiplies the scale of each channel
  float of_sums;       // multiplies the products of sums and scales
  int32_t zero_point;  // of inputs as they are multiplied
};

// One by one, sums are multiplied by the scale of their channel, and then by that of the image.
inline RealScale real_scale(const DynamicRange& range, bool one_by_one, int32_t origin) {
  const float scale = range.scale;
  return {one_by_one ? 1 : scale, one_by_one ? scale : 1, range.zero_point + origin};
}

// Bounds of floats. `numbers`: NaN becomes the lower one, and -0 becomes 0 where that is one.
struct RealBounds {
  float low, high;
  bool numbers;
};
template <class P>
RealBounds real_bounds(const P& p) {
  constexpr float kWidest = __FLT_MAX__, kInfinity = __builtin_inff();
  const float low = static_cast<float>(p.low), high = static_cast<float>(p.high);
  if (!p.of_vectors) return {low, high, false};
  const bool bounded = low > -kWidest;
  return {bounded ? low : -kInfinity, high < kWidest ? high : kInfinity, bounded};
}

// Constants of a vector of channels: the sums of their weights, scales and biases.
template <class V>
struct RealOutputs {
  using R = Reals<V>;
  using Lanes = typename WordLanes<V>::Lanes;
  static constexpr int32_t kConstants = 3 * V::kLanes;

  explicit RealOutputs(const int32_t* c) {
    memcpy(&weights, c, sizeof weights);
    memcpy(&scale, c + V::kLanes, sizeof scale);
    memcpy(&bias, c + 2 * V::kLanes, sizeof bias);
  }
  typename R::Sums operator()(typename V::Sums sums, const RealScale& by,
                              const RealBounds& bounds) const {
    const Lanes exact = reinterpret_cast<Lanes>(sums) - weights * by.zero_point;
    const auto real = __builtin_convertvector(exact, typename R::Sums);
    const auto found = real * (scale * by.of_scales) * by.of_sums + bias;
    if (!bounds.numbers) return R::clamped(found, bounds.low, bounds.high);
    constexpr typename R::Sums kZero = {};
    const auto above = found > bounds.low ? found : bounds.low - kZero;
    return above < bounds.high ? above : bounds.high - kZero;
  }

  Lanes weights;
  typename R::Sums scale, bias;
};

// Weights of all channels in blocks, as Channels has them, and the scale of each row's image.
struct DynamicChannels {
  using Output = float;
  int32_t count;
  int32_t groups;
  const int8_t* weights;
  const int32_t* constants;
  const RealScale* rows;
  RealBounds bounds;
};

template <class V, int kRows, int kBlocks>
[[gnu::always_inline]] inline void put(const DynamicChannels& c, int32_t block,
                                       const typename V::Sums (&sums)[kRows][kBlocks],
                                       int32_t count, float* y) {
  using Outputs = RealOutputs<V>;
  const int32_t width = min(c.count, V::kLanes);
#pragma GCC unroll 8
  for (int j = 0; j < kBlocks; ++j) {
    const Outputs outputs(c.constants + (block + j) * Outputs::kConstants);
    float* to = y + min((block + j) * V::kLanes, c.count - width);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      if (i >= count) continue;
      const auto found = outputs(sums[i][j], c.rows[i], c.bounds);
      Reals<V>::store(found, to + i * c.count, width);
    }
  }
}

// Images quantised one after the other, whose windows are rows of one or of several images.
template <class V, class P, class T, class S>
void dynamic_layer(const P& p, const float* x, float* y, const T& tables, const S& scratch) {
  RealScale scales[V::kRows] = {};
  const DynamicChannels channels = {p.output_channels, p.groups, tables.weights,
                                    tables.constants,  scales,   real_bounds(p)};
  const int32_t pitch = p.groups * V::kGroup, width = p.output_width;
  const int32_t pixels = p.output_height * width;
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  const bool are_rows = opsmith::simd::are_rows(p, pitch);
  int32_t filled = 0;
  for (int32_t b = 0; b < p.batches; ++b) {
    const DynamicRange range =
        quantized_by_range<V>(x + b * size, size, p.asymmetric, scratch.image);
    const auto zero = static_cast<int8_t>(range.zero_point);
    for (int32_t i = 0; i < pixels;) {
      const int32_t count = are_rows ? min(V::kRows - filled, pixels - i) : 1;
      typename V::Input* rows = scratch.rows + filled * pitch;
      if (are_rows) {
        V::copy(scratch.image + i * pitch, count * pitch, rows);
      } else {
        fill_row<V>(p, scratch.image, zero, i / width * p.stride_height - p.padding_top,
                    i % width * p.stride_width - p.padding_left, rows);
      }
      for (int32_t end = filled + count; filled < end; ++filled) {
        scales[filled] = real_scale(range, p.one_by_one, p.origin);
      }
      i += count;
      if (filled < V::kRows) continue;
      multiply<V>(channels, scratch.rows, filled, y);
      y += filled * p.output_channels;
      filled = 0;
    }
  }
  if (filled > 0) multiply<V>(channels, scratch.rows, filled, y);
}

}  // namespace opsmith::simd
