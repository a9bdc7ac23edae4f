// Needs Helium. Fast because VMLADAVA adds eight products at once, each vector of weights that is
// loaded serves two pixels and each of pixels four output channels: eight sums stay in registers.
// Where sums may not fit 32 bits, VMLALDAVA adds those of a pixel and four channels.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/mve_narrow.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i16x8 {

inline void copy_inputs(int16_t* to, const int16_t* from, int32_t count) {
  mve::copy(reinterpret_cast<int8_t*>(to), reinterpret_cast<const int8_t*>(from), 2 * count);
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
    mve::fill(reinterpret_cast<int8_t*>(window), 0, 2 * row_size);
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
  const mve::Vectors size = mve::vectors(inputs);
  for (int32_t left = channels; left > 0; left -= 4, y += 4, table += 8) {
    int32x4_t first, second;
    weights = mve::dot_products(windows, windows + inputs, weights, size, first, second);
    const int32x4_t bias = vldrwq_s32(table), multiplier = vldrwq_s32(table + 4);
    mve::store_narrowed(first, bias, multiplier, low, high, left, y);
    mve::store_narrowed(second, bias, multiplier, low, high, left, y + apart);
  }
}

// All channels of one output pixel, with sums of 64 bits.
template <class P>
void one_pixel(const P& p, const int16_t* window, int32_t inputs, const int8_t* weights,
               const Wide* constants, int16_t* y) {
  const mve::Vectors size = mve::vectors(inputs);
  for (int32_t c = 0; c < p.output_channels; c += 4) {
    int64_t sums[4];
    weights = mve::dot_products(window, weights, size, sums);
    for (int32_t i = c; i < c + 4 && i < p.output_channels; ++i) {
      y[i] = narrowed(p, sums[i - c], constants[i]);
    }
  }
}

// Two output pixels whose windows are copied, or one.
template <class P>
void pixels_from(const P& p, const int16_t* windows, int32_t inputs, int32_t count,
                 const Packed& tables, int16_t* y) {
  if (p.wide) {
    const auto* constants = reinterpret_cast<const Wide*>(tables.requantization);
    for (int32_t k = 0; k < count; ++k, windows += inputs, y += p.output_channels) {
      one_pixel(p, windows, inputs, tables.filter, constants, y);
    }
  } else {  // the one is computed and written twice
    two_pixels(windows, inputs, tables.filter, tables.requantization, p.output_channels,
               p.activation_min, p.activation_max, y, count == 2 ? p.output_channels : 0);
  }
}

template <class P>
void mve(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Packed& tables,
         const MveScratch& scratch) {
  const int32_t inputs = p.filter_height * p.filter_width * p.input_channels;
  const int32_t pixels = p.output_height * p.output_width;
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int16_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += 2) {
      const int32_t first = p.reversed ? ((pixels - 1) & ~1) - j : j;
      const int32_t count = min(pixels - first, 2);
      for (int32_t k = 0; k < 2; ++k) {
        const int32_t of = first + min(k, count - 1), row = of / p.output_width;
        const int32_t column = of - row * p.output_width;
        copy_window(p, image, row * p.stride_height - p.padding_top,
                    column * p.stride_width - p.padding_left, scratch.windows + k * inputs);
      }
      pixels_from(p, scratch.windows, inputs, count, tables,
                  out.y + (b * pixels + first) * p.output_channels);
    }
  }
}

}  // namespace opsmith::conv_2d::i16x8
