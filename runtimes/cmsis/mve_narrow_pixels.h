// All channels of two pixels of int16, for Helium. Fast because VMLADAVA adds eight products at
// once, each vector of weights that is loaded serves two pixels and each of pixels four output
// channels: eight sums stay in registers.
#pragma once

#include "runtimes/cmsis/mve_narrow.h"

namespace opsmith::mve {

inline void copy_inputs(int16_t* to, const int16_t* from, int32_t count) {
  copy(reinterpret_cast<int8_t*>(to), reinterpret_cast<const int8_t*>(from), 2 * count);
}

// Copies the window of one output pixel; outside of the image is zero.
template <class P>
void copy_window(const P& p, const int16_t* image, int32_t top, int32_t left, int16_t* window) {
  const int32_t row_size = p.filter_width * p.input_channels;
  const bool neighbours = p.dilation_width == 1 || p.filter_width == 1;
  const bool whole = neighbours && left >= 0 && left + p.filter_width <= p.input_width;
  for (int32_t fy = 0; fy < p.filter_height; ++fy, window += row_size) {
    const int32_t y = top + fy * p.dilation_height;
    const int16_t* row = image + y * p.input_width * p.input_channels;
    const bool inside = y >= 0 && y < p.input_height;
    if (inside && whole) {
      copy_inputs(window, row + left * p.input_channels, row_size);
      continue;
    }
    fill(reinterpret_cast<int8_t*>(window), 0, 2 * row_size);
    for (int32_t fx = 0; inside && fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      if (x < 0 || x >= p.input_width) continue;
      copy_inputs(window + fx * p.input_channels, row + x * p.input_channels, p.input_channels);
    }
  }
}

// All channels of two output pixels, the second of which is written `apart` elements after the
// first, from their windows, which lie one after the other. Shared by all layers. For each four
// channels `table` has four biases and four multipliers.
inline __attribute__((noinline)) void two_pixels(const int16_t* windows, int32_t inputs,
                                                 const int8_t* weights, const int32_t* table,
                                                 int32_t channels, int32_t min, int32_t max,
                                                 int16_t* y, int32_t apart) {
  const int32x4_t low = vdupq_n_s32(min), high = vdupq_n_s32(max);
  const Vectors size = vectors(inputs);
  for (int32_t left = channels; left > 0; left -= 4, y += 4, table += 8) {
    int32x4_t first, second;
    weights = dot_products(windows, windows + inputs, weights, size, first, second);
    const int32x4_t bias = vldrwq_s32(table), multiplier = vldrwq_s32(table + 4);
    store_narrowed(first, bias, multiplier, low, high, left, y);
    store_narrowed(second, bias, multiplier, low, high, left, y + apart);
  }
}

}  // namespace opsmith::mve
