// Needs vectors. Fast because one instruction adds two taps' products in each of many channels.
// Taps outside of the image read a row of zero points, so that no product is skipped.
#pragma once

#include <string.h>

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"
#include "runtimes/simd/dynamic_range.h"
#include "runtimes/simd/reals.h"
#include "runtimes/simd/rules.h"
#include "simd/depthwise_conv_2d.op.h"

namespace opsmith::depthwise_conv_2d::simd {

inline constexpr int32_t kOutside = -1;

// Where the taps of one output pixel begin, in elements from the start of the image.
template <class P>
void find_taps(const P& p, int32_t top, int32_t left, int32_t* taps) {
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    const bool inside = y >= 0 && y < p.input_height;
    for (int32_t fx = 0; fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      const bool there = inside && x >= 0 && x < p.input_width;
      *taps++ = there ? (y * p.input_width + x) * p.input_channels : kOutside;
    }
  }
}

// Layers with all taps and constants, as kernels of all nodes share them.
struct Layer {
  int32_t channels;
  int32_t pairs;  // of taps
  const int16_t* weights;
  const int32_t* constants;
};

// Elements of int8 that a rule makes of the sums of a block of channels.
template <class V, class Rule>
struct Bytes {
  using Outputs = opsmith::simd::Outputs;
  using Output = int8_t;
  static constexpr int32_t kConstants = opsmith::simd::kConstants * V::kChannels;
  using Bounds = typename V::Bounds;

  explicit Bytes(const int32_t* c) : first(c), second(c + kConstants / 2) {}
  void put(typename V::Sums (&sums)[2], const Bounds& bounds, int32_t n, int8_t* y) const {
    sums[0] = first(sums[0]);
    sums[1] = second(sums[1]);
    V::store(sums, bounds, y, n);
  }

  Rule first, second;
};

// Floats, whose constants are in the order of channels.
template <class V>
struct Floats {
  struct Outputs {
    opsmith::simd::RealScale scale;
    opsmith::simd::RealBounds bounds;
  };
  using Output = float;
  using OfVector = opsmith::simd::RealOutputs<V>;
  static constexpr int32_t kConstants = 2 * OfVector::kConstants;
  using Bounds = Outputs;

  explicit Floats(const int32_t* c) : first(c), second(c + kConstants / 2) {}
  void put(typename V::Sums (&sums)[2], const Outputs& o, int32_t n, float* y) const {
    using R = opsmith::simd::Reals<V>;
    V::in_order(sums);
    R::store(first(sums[0], o.scale, o.bounds), y, n);
    if (n > V::kLanes) {
      R::store(second(sums[1], o.scale, o.bounds), y + V::kLanes, n - V::kLanes);
    }
  }

  OfVector first, second;
};

// Output pixels beside each other, whose taps are `step` elements apart. kInside: all of them are
// in the image; others read the border, which does not move.
template <class V, class Of, bool kInside, class B>
[[gnu::noinline]] void pixels(const Layer& layer, const typename Of::Outputs& outputs,
                              int32_t count, int32_t step, const B* image, const B* border,
                              const int32_t* taps, typename Of::Output* y) {
  constexpr int32_t kChannels = V::kChannels;
  const int32_t channels = layer.channels, pairs = layer.pairs, width = min(channels, kChannels);
  const typename Of::Bounds bounds(outputs);
  const int16_t* weights = layer.weights;
  const int32_t* constants = layer.constants;
  for (int32_t i = 0; i < channels; i += kChannels) {
    const int32_t c = min(i, channels - width);
    const Of of(constants);
    for (int32_t pixel = 0; pixel < count; ++pixel) {
      const B* inside = image + pixel * step + c;
      const auto from = [=](int32_t tap) {
        return kInside || tap != kOutside ? inside + tap : border + c;
      };
      typename V::Sums sums[2] = {V::zero(), V::zero()};
      for (int32_t t = 0; t < pairs; ++t) {
        V::add_taps(from(taps[2 * t]), from(taps[2 * t + 1]), width, weights + t * 2 * kChannels,
                    sums);
      }
      of.put(sums, bounds, width, y + pixel * channels + c);
    }
    weights += pairs * 2 * kChannels;
    constants += Of::kConstants;
  }
}

template <class V, class Of, class B>
using Pixels = void(const Layer&, const typename Of::Outputs&, int32_t, int32_t, const B*, const B*,
                    const int32_t*, typename Of::Output*);

// The function for runs of pixels by the layer's rule, with taps outside or without.
template <class V, class B>
auto* pixels_of(int32_t rule, bool all) {
  static constexpr Pixels<V, Bytes<V, typename V::Singles>, B>* kOf[][2] = {
      {pixels<V, Bytes<V, typename V::FixedPoint>, false, B>,
       pixels<V, Bytes<V, typename V::FixedPoint>, true, B>},
      {pixels<V, Bytes<V, typename V::Singles>, false, B>,
       pixels<V, Bytes<V, typename V::Singles>, true, B>},
      {pixels<V, Bytes<V, typename V::Doubles>, false, B>,
       pixels<V, Bytes<V, typename V::Doubles>, true, B>},
      {pixels<V, Bytes<V, typename V::Magnitudes>, false, B>,
       pixels<V, Bytes<V, typename V::Magnitudes>, true, B>}};
  return kOf[rule][all];
}

// Calls run(alike, all) for runs of output pixels that share the taps that it finds, and whether
// all of them are in the image.
template <class P, class S, class F>
void for_each_run(const P& p, const S& scratch, F run) {
  const int32_t count = p.filter_height * p.filter_width;
  // Pixels whose windows lie between the left and the right border share their taps.
  const int32_t reach = (p.filter_width - 1) * p.dilation_width;
  const int32_t first = (p.padding_left + p.stride_width - 1) / p.stride_width;
  const int32_t room = p.input_width - 1 - reach + p.padding_left;
  const int32_t end = min(room < 0 ? 0 : room / p.stride_width + 1, p.output_width);
  for (int32_t oy = 0; oy < p.output_height; ++oy) {
    for (int32_t ox = 0; ox < p.output_width;) {
      const int32_t alike = ox >= first && ox < end ? end - ox : 1;
      find_taps(p, oy * p.stride_height - p.padding_top, ox * p.stride_width - p.padding_left,
                scratch.taps);
      scratch.taps[count + count % 2 - 1] = scratch.taps[count - 1];  // of zero weights, if any
      bool all = true;
      for (int32_t i = 0; i < count; ++i) all = all && scratch.taps[i] != kOutside;
      run(alike, all);
      ox += alike;
    }
  }
}

template <class P, class T>
Layer layer_of(const P& p, const T& tables) {
  return {p.input_channels, (p.filter_height * p.filter_width + 1) / 2, tables.weights,
          tables.constants};
}

template <class V, class P, class B, class T, class S>
void convolve(const P& p, const In<B>& in, const Out<B>& out, const T& tables, const S& scratch) {
  const Layer layer = layer_of(p, tables);
  const opsmith::simd::Outputs outputs = opsmith::simd::outputs_of<B>(p);
  memset(scratch.border, p.input_zero_point, static_cast<size_t>(p.input_channels));
  int8_t* y = reinterpret_cast<int8_t*>(out.y);
  for (int32_t b = 0; b < p.batches; ++b) {
    const B* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for_each_run(p, scratch, [&](int32_t alike, bool all) {
      pixels_of<V, B>(p.rule, all)(layer, outputs, alike, p.stride_width * p.input_channels, image,
                                   scratch.border, scratch.taps, y);
      y += alike * p.input_channels;
    });
  }
  opsmith::simd::finish(out.y, static_cast<int32_t>(y - reinterpret_cast<int8_t*>(out.y)));
}

// Images of floats, each quantised by its range.
template <class V, class P, class T, class S>
void convolve_quantised(const P& p, const In<float>& in, const Out<float>& out, const T& tables,
                        const S& scratch) {
  using Of = Floats<V>;
  const Layer layer = layer_of(p, tables);
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  float* y = out.y;
  for (int32_t b = 0; b < p.batches; ++b) {
    const DynamicRange range =
        opsmith::simd::quantized_by_range<V>(in.x + b * size, size, p.asymmetric, scratch.image);
    memset(scratch.border, range.zero_point, static_cast<size_t>(p.input_channels));
    const typename Of::Outputs outputs = {opsmith::simd::real_scale(range, p.one_by_one, p.origin),
                                          opsmith::simd::real_bounds(p)};
    for_each_run(p, scratch, [&](int32_t alike, bool all) {
      (all ? pixels<V, Of, true, int8_t>
           : pixels<V, Of, false, int8_t>)(layer, outputs, alike, p.stride_width * p.input_channels,
                                           scratch.image, scratch.border, scratch.taps, y);
      y += alike * p.input_channels;
    });
  }
}

// Taps of one output pixel that are in the image, which `origin` elements lie before the first of.
struct RealTaps {
  const float* image;
  int32_t origin;
  int32_t line, pixel;  // elements of the image from a row of taps, and from a tap, to the next
  int32_t channels, filter_width;
  opsmith::Taps rows, columns;
};

// The outputs of some vectors of channels from c on.
template <class V, int kVectors, class T>
[[gnu::always_inline]] inline void put_vectors(const RealTaps& taps, const T& tables, int32_t c,
                                               float low, float high, float* y) {
  typename V::Sums sums[kVectors] = {};
  for (int32_t i = taps.rows.first; i < taps.rows.end; ++i) {
    const int32_t first = taps.columns.first;
    const float* x = taps.image + (taps.origin + i * taps.line + first * taps.pixel + c);
    const float* w = tables.filter + (i * taps.filter_width + first) * taps.channels + c;
    for (int32_t j = first; j < taps.columns.end; ++j, x += taps.pixel, w += taps.channels) {
#pragma GCC unroll 8
      for (int32_t k = 0; k < kVectors; ++k) {
        const int32_t at = k * V::kLanes;
        sums[k] = V::add_products(sums[k], V::weights(w + at), V::weights(x + at));
      }
    }
  }
#pragma GCC unroll 8
  for (int32_t k = 0; k < kVectors; ++k) {
    const int32_t at = c + k * V::kLanes;
    V::store(V::clamped(sums[k] + V::weights(tables.bias + at), low, high), y + at, V::kLanes);
  }
}

struct OneLane {
  static constexpr int32_t kLanes = 1, kRows = 1, kBlocks = 1;
};

template <class V, class P, class T>
void convolve_reals(const P& p, const In<float>& in, const Out<float>& out, const T& tables) {
  using Reals = opsmith::simd::Reals<V>;
  constexpr int32_t kVectors = 4, kLanes = V::kLanes;
  const int32_t channels = p.input_channels, line = p.input_width * channels;
  const float low = static_cast<float>(p.real_min), high = static_cast<float>(p.real_max);
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const RealTaps taps = {in.x,
                           (b * p.input_height + top) * line + left * channels,
                           p.dilation_height * line,
                           p.dilation_width * channels,
                           channels,
                           p.filter_width,
                           taps_inside(top, p.input_height, p.filter_height, p.dilation_height),
                           taps_inside(left, p.input_width, p.filter_width, p.dilation_width)};
    float* y = out.y + number * channels;
    int32_t c = 0;
    for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
      put_vectors<Reals, kVectors>(taps, tables, c, low, high, y);
    }
    if (channels < kLanes) {
      for (; c < channels; ++c) {
        put_vectors<opsmith::simd::Reals<OneLane>, 1>(taps, tables, c, low, high, y);
      }
    }
    for (; c < channels; c += kLanes) {  // the last vector ends at the last channel
      put_vectors<Reals, 1>(taps, tables, min(c, channels - kLanes), low, high, y);
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d::simd
