// Needs Helium. Fast as mve.h is, for images so narrow that pairs of pixels lie in two rows, and
// for filters that are dilated across: the window of each output pixel is copied to a strip of its
// own.
#pragma once

#include "ops/conv_2d/i8/mve.h"

namespace opsmith::conv_2d::i8 {

// Copies a window column by column. Outside of the image is the zero point.
inline int8_t* copy_window(const WindowStrips& g, const int8_t* image, int32_t top, int32_t left,
                           int8_t* to) {
  const int32_t bottom = top + g.filter_height * g.dilation_height;
  const int32_t end = left + g.filter_width * g.dilation_width, channels = g.input_channels;
  for (int32_t x = left; x < end; x += g.dilation_width) {
    for (int32_t y = top; y < bottom; y += g.dilation_height, to += channels) {
      if (x >= 0 && x < g.input_width && y >= 0 && y < g.input_height) {
        mve::copy(to, image + (y * g.input_width + x) * channels, channels);
      } else {
        mve::fill(to, static_cast<int8_t>(g.input_zero_point), channels);
      }
    }
  }
  return to;
}

// Copies the windows of neighbours in an image, from `first` on. Cold, as next_group() is.
inline __attribute__((noinline, cold)) void copy_windows(const WindowStrips& g, const int8_t* image,
                                                         int32_t first, int32_t count, int8_t* to) {
  int32_t row = first / g.output_width, column = first - row * g.output_width;
  for (int32_t i = 0; i < count; ++i) {
    to = copy_window(g, image, row * g.stride_height - g.padding_top,
                     column * g.stride_width - g.padding_left, to);
    if (++column == g.output_width) column = 0, ++row;
  }
}

inline __attribute__((noinline)) void convolve_windows(const WindowStrips& g,
                                                       mve::PairsFunction function, bool reversed,
                                                       const int8_t* x, int8_t* y,
                                                       const int32_t* blocks, int8_t* strip) {
  const int32_t pixels = g.output_height * g.output_width;
  const int32_t pieces = (pixels + g.group - 1) / g.group;
  const int32_t window = g.filter_height * g.filter_width * g.input_channels;
  for (int32_t i = 0; i < g.batches; ++i) {
    const int32_t b = nth(i, g.batches, reversed);
    const int8_t* image = x + b * g.input_height * g.input_width * g.input_channels;
    for (int32_t k = 0; k < pieces; ++k) {
      const int32_t first = nth(k, pieces, reversed) * g.group;
      const int32_t count = pixels - first < g.group ? pixels - first : g.group;
      copy_windows(g, image, first, count, strip);
      mve::row_of_pixels<false>(g, function, blocks, strip, window, count,
                                y + (b * pixels + first) * g.output_channels);
    }
  }
}

template <class P, class S>
void mve_windows(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                 const MveWindowsTables& tables, const S& scratch) {
  constexpr int32_t kRounding = rounding_of(P{});
  convolve_windows(*tables.strips, mve::pairs_function<kRounding, decltype(known_of(P{}))>(),
                   p.reversed, in.x, out.y, mve::blocks_of(p.steps, tables.blocks), scratch.strip);
}

}  // namespace opsmith::conv_2d::i8
