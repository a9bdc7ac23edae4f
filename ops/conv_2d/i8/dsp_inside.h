// Needs the DSP extension. Fast as dsp.h is, and because taps that lie outside of the image for all
// of four pixels are not multiplied: what inputs are less their zero point, which there is 0. For
// filters that reach far beyond the image, such as dilated ones.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_groups.h"
#include "ops/conv_2d/i8/dsp_listed.h"
#include "runtimes/cmsis/dsp_inside.h"

namespace opsmith::conv_2d::i8 {

// Pixels of which some taps are multiplied.
struct ListedInside : ListedPixels {
  int32_t skipped;  // words of weights, of each pair of channels
};

inline int32_t listed_sum(const ListedInside& pixels, int32_t k, int32_t channel) {
  const uint32_t* weights = pixels.weights + (channel >> 1) * pixels.skipped;
  return listed_sum(pixels.columns + k, pixels.words, weights, channel, pixels.pairs);
}

template <class P, class S>
void dsp_inside(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                const S& scratch) {
  const auto weights = dsp::weights_of(p, tables.filter);
  using Part = dsp::PartOf<decltype(dsp::weights_of(p, tables.filter))>;
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t tap = p.input_channels / 2;  // words of a pair of channels, and of a pixel
  const auto fill = [=](const int8_t* image, int32_t first, int32_t count) {
    const dsp::Span taps = dsp::taps_inside(p, first, count);
    dsp::spread_inside(p, image, first, count, taps, columns);
    const int32_t multiplied = taps.end - taps.first;
    const int32_t skipped = p.filter_height * p.filter_width - multiplied;
    Part part = {weights, skipped * tap};
    part.weights += taps.first * tap;
    return Windows<Part>{multiplied * tap * dsp::kPixels, part};
  };
  const auto finish = [&](const Windows<Part>& windows, int8_t* y) {
    if constexpr (is_listed(static_cast<const P*>(nullptr))) {
      const int32_t channels = p.output_channels;
      const ListedInside pixels = {
          {columns, windows.words, windows.weights.weights, channels, dsp::kPixels},
          windows.weights.skipped};
      correct_pixels(pixels, exceptions_of(p, tables.requantization), channels, y);
    }
  };
  groups_of_pixels(p, in.x, tables, columns, scratch.rest, out.y, fill, finish);
}

}  // namespace opsmith::conv_2d::i8
