// The walk of mve.h through a convolution, strip by strip, for int8 and uint8.
#pragma once

#include "runtimes/cmsis/mve_strips.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d {

// A walk through y, group by group: outputs of a row that have a strip in common. It is the same
// for all kernels, so that the code of each is that of a group alone.
template <class G>
struct Groups {
  Groups(const G& geometry, bool backward, const int8_t* input, int8_t* output, int8_t* columns)
      : g(geometry), reversed(backward), x(input), y(output), strip(columns) {
    row.pixels = 0;  // alone: GCC would call memset() for all of it
  }

  const G& g;
  bool reversed;
  const int8_t* x;
  int8_t* y;
  int8_t* strip;
  int32_t number = 0;  // of groups that were begun
  mve::Row row;        // what is left of the last
  mve::Spread by;      // of those that are not copied pixel by pixel
};

// Begins with the next group, if there is one: its inputs are in the strip. Inputs of uint8 become
// int8, 128 less, as weights are. Cold: compiled for size, since the time goes into loops of
// groups.
template <bool kUnsigned, class G>
inline __attribute__((noinline, cold)) bool next_group(Groups<G>& walk) {
  const G& g = walk.g;
  const int32_t groups = (g.output_width + g.group - 1) / g.group;
  const int32_t count = g.batches * g.output_height * groups;
  if (walk.number == count) return false;
  const int32_t at = nth(walk.number++, count, walk.reversed), line = at / groups;
  const int32_t first = (at - line * groups) * g.group, left = g.output_width - first;
  const int32_t pixels = left < g.group ? left : g.group, pixel = line * g.output_width + first;
  const int32_t column = g.filter_height * g.input_channels;
  const int32_t columns = (pixels - 1) * g.stride_width + g.filter_width;
  walk.row = {walk.strip, g.stride_width * column, pixels, walk.y + pixel * g.output_channels};
  if (g.filter_height * g.filter_width * g.stride_height * g.stride_width == 1 &&
      g.input_height == g.output_height && g.input_width == g.output_width) {
    // A pixel needs the one of the same number.
    mve::copy(walk.strip, walk.x + pixel * column, pixels * column);
  } else {
    const int32_t b = line / g.output_height, oy = line - b * g.output_height;
    if (walk.number == 1) walk.by = mve::spread(g.input_channels, column);
    mve::fill_strip(g, walk.by, walk.x + b * g.input_height * g.input_width * g.input_channels,
                    oy * g.stride_height - g.padding_top, first * g.stride_width - g.padding_left,
                    columns, walk.strip);
  }
  if constexpr (kUnsigned) mve::flip(walk.strip, columns * column);
  return true;
}

// G has the factor of the sum of inputs of uint8 that makes up for what they and weights have less.
template <bool kUnsigned, class G>
inline __attribute__((noinline)) void convolve(const G& g, mve::PairsFunction function,
                                               bool reversed, const int8_t* x, int8_t* y,
                                               const int32_t* blocks, int8_t* strip) {
  Groups<G> walk(g, reversed, x, y, strip);
  while (next_group<kUnsigned>(walk)) {
    const mve::Row& row = walk.row;
    mve::row_of_pixels<kUnsigned>(g, function, blocks, row.x, row.step, row.pixels, row.y);
  }
}

}  // namespace opsmith::conv_2d
