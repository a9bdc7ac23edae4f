// Strips of neighbours in a row of y that kernels of 3x3 filters of float32 compute together in
// assembly, with an FPU and the DSP extension.
#pragma once

#include <stddef.h>

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/fpu_rows.h"
#include "runtimes/core/float_bits.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::f32 {

inline constexpr int32_t kThree = 3;  // rows and columns of a filter

// A strip of pixels of y. Assembly knows the members by their offsets; distances are in bytes.
struct Strip {
  int32_t rows;      // of the filter that lie inside the image, which may be none
  int32_t columns;   // of x from the first weight of the first pixel on
  int32_t is_left;   // whether the first of these columns lies outside of the image
  int32_t x_back;    // from the last column of a row of x to the first of the next row
  int32_t pixel;     // from a pixel to the next, of x and y
  int32_t headroom;  // as headroom_of says
  int32_t pixels;
  const float* bias;
  float* y;
};
static_assert(offsetof(Strip, headroom) == 20 && offsetof(Strip, y) == 32);

// Where outputs lie between zero and a positive float: how much may be added to the bits of the
// latter. 0 for other bounds.
inline int32_t headroom_of(const fpu::Bounds& bounds) {
  const bool is_rectified = bits_of(bounds.low) == 0 && bounds.high > 0.0f;
  return is_rectified ? INT32_MAX - static_cast<int32_t>(bits_of(bounds.high)) : 0;
}

// Puts N channels of the pixels of a strip within the bounds.
inline void clamp_strip(const Strip& strip, const fpu::Bounds& bounds, int32_t channels) {
  for (int32_t i = 0; i < strip.pixels * strip.pixel / fpu::kFloat;
       i += strip.pixel / fpu::kFloat) {
    for (int32_t j = 0; j < channels; ++j) {
      strip.y[i + j] = real_clamp(strip.y[i + j], bounds.low, bounds.high);
    }
  }
}

// Calls f(strip, x, row) for each strip of up to N pixels of y: with the first channel, and the
// first row of the filter that lies inside the image.
template <int32_t kPixels, class P, class F>
void for_each_strip(const P& p, const float* x, const float* bias, float* y, F f) {
  const int32_t channels = p.input_channels, pitch = p.input_width * channels;
  const int32_t strips = (p.output_width + kPixels - 1) / kPixels;
  Strip strip = {};
  strip.pixel = channels * fpu::kFloat;
  for (int32_t i = 0; i < p.batches * p.output_height; ++i) {
    const int32_t row = nth(i, p.batches * p.output_height, p.reversed);
    const int32_t b = row / p.output_height;
    const int32_t top = (row - b * p.output_height) * p.stride_height - p.padding_top;
    const Taps taps = taps_inside(top, p.input_height, kThree, p.dilation_height);
    const int32_t first = b * p.input_height + top + taps.first * p.dilation_height;
    strip.rows = taps.end - taps.first;
    for (int32_t j = 0; j < strips; ++j) {
      const int32_t ox = nth(j, strips, p.reversed) * kPixels;
      const int32_t left = ox * p.stride_width - p.padding_left;
      strip.pixels = min(p.output_width - ox, kPixels);
      strip.columns = min(p.input_width - left, (strip.pixels - 1) * p.stride_width + kThree);
      strip.is_left = left < 0;
      const int32_t steps = strip.columns - strip.is_left - 1;
      strip.x_back = (p.dilation_height * pitch - steps * channels) * fpu::kFloat;
      strip.bias = bias;
      strip.y = y + (row * p.output_width + ox) * channels;
      f(strip, x + first * pitch + (left + strip.is_left) * channels, taps.first);
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d::f32
