// Where the pixels of an image are.
#pragma once

#include <stdint.h>

namespace opsmith::depthwise_conv_2d {

// Elements from a pixel to the next in a row, and from a row to the next.
struct Pitches {
  int32_t pixel, row;
};

// Those of an image with rows of N pixels.
template <class P>
constexpr Pitches row_pitches(const P& p, int32_t columns) {
  return {p.input_channels, columns * p.input_channels};
}

// Those of an image of N rows and N columns, which P may see transposed, as
// ops/depthwise_conv_2d/transposed.py says.
template <class P>
constexpr Pitches pitches(const P& p, int32_t rows, int32_t columns) {
  if (p.transposed) return {rows * p.input_channels, p.input_channels};
  return row_pitches(p, columns);
}

}  // namespace opsmith::depthwise_conv_2d
