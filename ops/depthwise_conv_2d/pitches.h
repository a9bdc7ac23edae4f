// Where the pixels of an image are whose rows may be columns: ops/depthwise_conv_2d/transposed.py.
#pragma once

#include <stdint.h>

namespace opsmith::depthwise_conv_2d {

// Elements from a pixel to the next in a row, and from a row to the next.
struct Pitches {
  int32_t pixel, row;
};

// Those of an image of so many rows and columns, as P sees them.
template <class P>
constexpr Pitches pitches(const P& p, int32_t rows, int32_t columns) {
  const int32_t channels = p.input_channels;
  if (p.transposed) return {rows * channels, channels};
  return {channels, columns * channels};
}

}  // namespace opsmith::depthwise_conv_2d
