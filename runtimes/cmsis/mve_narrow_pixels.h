// All channels of two pixels of int16, for Helium. Fast because VMLADAVA adds eight products at
// once, each vector of weights that is loaded serves two pixels and each of pixels four output
// channels: eight sums stay in registers.
#pragma once

#include "runtimes/cmsis/mve_narrow.h"
#include "runtimes/cmsis/mve_narrow_pairs.h"
#include "runtimes/families/window.h"

namespace opsmith::mve {

// Copies pieces of `size` elements to places `to_step` apart, from places `from_step` apart: none
// where one of both numbers is negative.
inline void copy_pieces(int16_t* to, int32_t to_step, const int16_t* from, int32_t from_step,
                        int32_t size, int32_t pieces) {
  auto* target = reinterpret_cast<int8_t*>(to);
  const auto* source = reinterpret_cast<const int8_t*>(from);
  if (size <= 16) {
    return copy_columns(target, 2 * to_step, source, 2 * from_step, 2 * size, max(pieces, 0));
  }
  for (; pieces > 0; --pieces, target += 2 * to_step, source += 2 * from_step) {
    copy(target, source, 2 * size);
  }
}

// Copies the window of one output pixel; outside of the image is zero.
template <class P>
void copy_window(const P& p, const int16_t* image, int32_t top, int32_t left, int16_t* window) {
  const int32_t pixel = p.input_channels, row = p.filter_width * pixel;
  const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
  const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
  const int32_t count = rows.end - rows.first, width = columns.end - columns.first;
  if (count < p.filter_height || width < p.filter_width) {
    fill(reinterpret_cast<int8_t*>(window), 0, 2 * p.filter_height * row);
  }
  const int32_t y = top + rows.first * p.dilation_height;
  const int32_t x = left + columns.first * p.dilation_width;
  const int32_t pitch = p.dilation_height * p.input_width * pixel;
  const int16_t* from = image + (y * p.input_width + x) * pixel;
  int16_t* to = window + rows.first * row + columns.first * pixel;
  if (p.dilation_width == 1 || p.filter_width == 1) {
    return copy_pieces(to, row, from, pitch, width * pixel, count);
  }
  for (int32_t i = 0; i < count; ++i, from += pitch, to += row) {
    copy_pieces(to, pixel, from, p.dilation_width * pixel, pixel, width);
  }
}

// All channels of two output pixels, the second of which is written `apart` elements after the
// first, from their windows, which may be one and the same. Shared by all layers. For each four
// channels `table` has four biases and four multipliers.
inline __attribute__((noinline)) void two_pixels(const int16_t* first, const int16_t* second,
                                                 int32_t inputs, const int8_t* weights,
                                                 const int32_t* table, int32_t channels,
                                                 int32_t min, int32_t max, int16_t* y,
                                                 int32_t apart) {
  const Vectors size = vectors(inputs);
  NarrowPair pair = {first,
                     second,
                     weights,
                     first + inputs,
                     static_cast<uint32_t>(size.tail),
                     static_cast<uint32_t>(size.steps % 4),
                     table,
                     channels,
                     y,
                     2 * apart,
                     size.tail};
  pair_of_pixels(pair, vdupq_n_s32(min), vdupq_n_s32(max));
}

}  // namespace opsmith::mve
