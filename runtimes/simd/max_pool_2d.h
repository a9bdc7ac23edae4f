// Needs vectors. Fast because one comparison serves 16 channels.
#pragma once

#include <string.h>

#include "runtimes/families/pooling.h"
#include "simd/max_pool_2d.op.h"

namespace opsmith::max_pool_2d::simd {

inline constexpr int32_t kElements = 16;
using Bytes [[gnu::vector_size(kElements)]] = int8_t;

// The largest elements of 16 channels of a window, from `x` on.
template <class P>
Bytes largest_of(const P& p, const int8_t* x, int32_t rows, int32_t columns) {
  Bytes found = Bytes{} + static_cast<int8_t>(-128);
  for (int32_t i = 0; i < rows; ++i, x += p.input_width * p.channels) {
    for (int32_t j = 0; j < columns; ++j) {
      Bytes pixel;
      memcpy(&pixel, x + j * p.channels, sizeof pixel);
      found = found < pixel ? pixel : found;
    }
  }
  return found;
}

template <class P>
void largest(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const Bytes low = Bytes{} + static_cast<int8_t>(p.activation_min);
  const Bytes high = Bytes{} + static_cast<int8_t>(p.activation_max);
  for_each_window(p, in.x, out.y, [&](const Window<int8_t>& window, int8_t* y) {
    int32_t c = 0;
    for (; c + kElements <= p.channels; c += kElements) {
      Bytes found = largest_of(p, window.pixels + c, window.rows, window.columns);
      found = found < low ? low : found;
      found = found > high ? high : found;
      memcpy(y + c, &found, sizeof found);
    }
    for (; c < p.channels; ++c) {
      const int32_t found = pooled(p, window, c, int32_t{-128}, max);
      y[c] = static_cast<int8_t>(clamp(found, p.activation_min, p.activation_max));
    }
  });
}

}  // namespace opsmith::max_pool_2d::simd
