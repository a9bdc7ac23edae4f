// Needs Helium. Fast as mve.h is, for filters that read a group of channels each: a strip of the
// image has the channels of one group, and serves all filters of the group.
#pragma once

#include "ops/conv_2d/i8/mve.h"

namespace opsmith::conv_2d::i8 {

// Copies one group's inputs of output pixels that are neighbours, from `image` on, as
// mve::fill_strip() copies those of all channels.
inline __attribute__((noinline)) void fill_group(const GroupedStrips& g, const int8_t* image,
                                                 int32_t top, int32_t left, int32_t columns,
                                                 int8_t* strip) {
  const int32_t column = g.filter_height * g.input_channels;
  const int32_t bottom = top + (g.filter_height - 1) * g.dilation_height;
  const int32_t from = left < 0 ? 0 : left;
  const int32_t end = left + columns < g.input_width ? left + columns : g.input_width;
  if (top < 0 || bottom >= g.input_height || from > left || end < left + columns) {
    mve::fill(strip, static_cast<int8_t>(g.input_zero_point), columns * column);
  }
  strip += (from - left) * column;
  for (int32_t y = top; y <= bottom; y += g.dilation_height, strip += g.input_channels) {
    if (y < 0 || y >= g.input_height || end <= from) continue;
    mve::copy_columns(strip, column, image + (y * g.input_width + from) * g.pixel, g.pixel,
                      g.input_channels, end - from);
  }
}

// The output pixels of one row from `first` to before `end`, which have strips in common.
template <class S>
inline __attribute__((noinline)) void group_of_pixels(
    const GroupedStrips& g, mve::PairsFunction function, const int8_t* image, int32_t oy,
    int32_t first, int32_t end, const int32_t* blocks, const S& scratch, int8_t* y) {
  const int32_t columns = (end - first - 1) * g.stride_width + g.filter_width;
  const int32_t step = g.stride_width * g.filter_height * g.input_channels;
  const int32_t channels = g.groups * g.output_channels, pixels = end - first;
  for (int32_t i = 0; i < g.groups; ++i, blocks += g.words) {
    fill_group(g, image + i * g.input_channels, oy * g.stride_height - g.padding_top,
               first * g.stride_width - g.padding_left, columns, scratch.strip);
    mve::row_of_pixels<false>(g, function, blocks, scratch.strip, step, pixels,
                              scratch.outputs + i * pixels * g.output_channels);
  }
  for (int32_t i = 0; i < g.groups; ++i) {
    mve::copy_columns(y + i * g.output_channels, channels,
                      scratch.outputs + i * pixels * g.output_channels, g.output_channels,
                      g.output_channels, pixels);
  }
}

template <class S>
inline __attribute__((noinline)) void convolve_groups(const GroupedStrips& g,
                                                      mve::PairsFunction function, bool reversed,
                                                      const int8_t* x, int8_t* y,
                                                      const int32_t* blocks, const S& scratch) {
  const int32_t pieces = (g.output_width + g.group - 1) / g.group;
  const int32_t channels = g.groups * g.output_channels;
  for (int32_t i = 0; i < g.batches; ++i) {
    const int32_t b = nth(i, g.batches, reversed);
    const int8_t* image = x + b * g.input_height * g.input_width * g.pixel;
    for (int32_t j = 0; j < g.output_height; ++j) {
      const int32_t oy = nth(j, g.output_height, reversed);
      int8_t* row = y + (b * g.output_height + oy) * g.output_width * channels;
      for (int32_t k = 0; k < pieces; ++k) {
        const int32_t first = nth(k, pieces, reversed) * g.group;
        const int32_t end = first + g.group < g.output_width ? first + g.group : g.output_width;
        group_of_pixels(g, function, image, oy, first, end, blocks, scratch,
                        row + first * channels);
      }
    }
  }
}

template <class P, class S>
void mve_grouped(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                 const MveGroupedTables& tables, const S& scratch) {
  constexpr int32_t kRounding = rounding_of(P{});
  convolve_groups(*tables.strips, mve::pairs_function<kRounding, decltype(known_of(P{}))>(),
                  p.reversed, in.x, out.y, mve::blocks_of(p.steps, tables.blocks), scratch);
}

}  // namespace opsmith::conv_2d::i8
