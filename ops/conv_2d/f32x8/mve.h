// Needs Helium with floats. Fast as mve.h of int8 is: sums of the quantised image are written where
// outputs go, and become floats there, of each four channels all pixels of a group.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/mve_dynamic_range.h"
#include "runtimes/cmsis/mve_strips.h"

namespace opsmith::conv_2d::f32x8 {

// Sizes of mve_strips.h, whose border is what quantised zeros are.
struct BorderedStrips : StripSizes {
  int32_t input_zero_point;
};

// The sums of pixels that are neighbours, whose inputs are `step` bytes apart.
inline __attribute__((noinline)) void sums_of_row(const StripSizes& g, const int32_t* blocks,
                                                  const int8_t* x, int32_t step, int32_t pixels,
                                                  int32_t* y) {
  const int32_t channels = g.output_channels, pitch = channels * int32_t{sizeof *y};
  const int32_t vectors = 16 * g.full_steps;
  const uint32_t first = g.tail != 0 ? mve::kTail : vectors == 0 ? mve::kOnly : mve::kWhole;
  while (pixels > 0) {
    const int32_t second = pixels > 1, left = channels < 4 || pixels < 4 ? 1 : pixels / 2;
    int32_t few[8];
    int32_t* to = channels < 4 ? few : y;
    const int32_t apart = channels < 4 ? 16 : pitch;
    const auto bytes = [](int32_t* at) { return reinterpret_cast<int8_t*>(at); };
    mve::Pairs pairs = {x,
                        x + second * step,
                        2 * step,
                        vectors + (g.tail == 0 ? 16 : g.tail),
                        blocks,
                        first,
                        static_cast<uint32_t>(g.full_steps % 4),
                        bytes(to),
                        bytes(channels < 4 ? to : to + channels - 4),
                        second * apart,
                        g.tail,
                        0,
                        left};
    mve::pairs_of_pixels<mve::kSums>(pairs, vdupq_n_u16(0));
    const int32_t done = left * (1 + second);
    for (int32_t i = 0; channels < 4 && i < done * channels; ++i) {
      y[i] = few[i / channels * 4 + i % channels];
    }
    x += done * step;
    y += done * channels;
    pixels -= done;
  }
}

// One image, from its quantised inputs. A pixel that needs only that of its number, which one row
// of the strips says, is read where it is.
template <bool kByChannel, class Tables>
inline __attribute__((noinline)) void outputs_of_image(const StripSizes& g,
                                                       const DynamicRange& range,
                                                       const Tables& tables, const int8_t* image,
                                                       int8_t* strip, float* y) {
  const BorderedStrips bordered = {g, range.zero_point};
  const int32_t column = g.filter_height * g.input_channels;
  const bool is_copied = column * g.filter_width != g.input_channels || g.stride_width != 1 ||
                         g.stride_height != 1 || g.input_width != g.output_width ||
                         g.input_height != g.output_height;
  const mve::Spread by = mve::spread(g.input_channels, column);
  mve::RealBounds bounds;
  memcpy(&bounds, tables.bounds, sizeof bounds);
  const auto* constants = reinterpret_cast<const mve::RealFour*>(tables.constants);
  for (int32_t oy = 0; oy < g.output_height; ++oy) {
    for (int32_t first = 0; first < g.output_width; first += g.group) {
      const int32_t left = g.output_width - first, pixels = left < g.group ? left : g.group;
      const int8_t* x = image + (oy * g.output_width + first) * g.input_channels;
      if (is_copied) {
        mve::fill_strip(bordered, by, image, oy * g.stride_height - g.padding_top,
                        first * g.stride_width - g.padding_left,
                        (pixels - 1) * g.stride_width + g.filter_width, strip);
        x = strip;
      }
      sums_of_row(g, tables.blocks, x, g.stride_width * column, pixels,
                  reinterpret_cast<int32_t*>(y));
      mve::reals_of_sums<kByChannel>(bounds, range, constants, pixels, g.output_channels, y);
      y += pixels * g.output_channels;
    }
  }
}

template <bool kByChannel, class Tables, class S>
void convolve(const StripSizes& g, const float* x, float* y, const Tables& tables,
              const S& scratch) {
  const int32_t read = g.input_height * g.input_width * g.input_channels;
  const int32_t written = g.output_height * g.output_width * g.output_channels;
  for (int32_t b = 0; b < g.batches; ++b, x += read, y += written) {
    const DynamicRange range = mve::quantized_by_range(x, read, kByChannel, scratch.image);
    outputs_of_image<kByChannel>(g, range, tables, scratch.image, scratch.strip, y);
  }
}

template <const MveParams& kParams, class... Arguments>
void convolve(const StaticMve<kParams>&, const Arguments&... arguments) {
  convolve<kParams.by_channel>(arguments...);
}
template <class... Arguments>
void convolve(const MveParams& p, const Arguments&... arguments) {
  p.by_channel ? convolve<true>(arguments...) : convolve<false>(arguments...);
}

template <class P, class S>
void mve(const P& p, const In<float>& in, const Out<float>& out, const MveTables& tables,
         const S& scratch) {
  convolve(p, *tables.sizes, in.x, out.y, tables, scratch);
}

}  // namespace opsmith::conv_2d::f32x8
