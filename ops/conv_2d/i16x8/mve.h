// Needs Helium. Fast because each vector of weights that is loaded serves two pixels, and each of
// pixels four output channels. Where sums may not fit 32 bits, VMLALDAVA adds those of a pixel and
// four channels.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/mve_narrow_pixels.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i16x8 {

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

// Two output pixels whose windows are copied, or one, which then is computed and written twice.
template <class P>
void pixels_from(const P& p, const int16_t* windows, int32_t inputs, int32_t count,
                 const Packed& tables, int16_t* y) {
  if (p.wide) {
    const auto* constants = reinterpret_cast<const Wide*>(tables.requantization);
    for (int32_t k = 0; k < count; ++k, windows += inputs, y += p.output_channels) {
      one_pixel(p, windows, inputs, tables.filter, constants, y);
    }
  } else {
    const int32_t more = count - 1;
    mve::two_pixels(windows, windows + more * inputs, inputs, tables.filter, tables.requantization,
                    p.output_channels, p.activation_min, p.activation_max, y,
                    more * p.output_channels);
  }
}

// Whether each window is a pixel of x, in their order.
template <class P>
constexpr bool reads_pixels(const P& p) {
  return p.filter_height == 1 && p.filter_width == 1 && p.stride_height == 1 &&
         p.stride_width == 1 && p.padding_top == 0 && p.padding_left == 0;
}

// Copies the windows of neighbours.
template <class P>
void copy_windows(const P& p, const int16_t* image, int32_t first, int32_t count, int32_t inputs,
                  int16_t* windows) {
  if (reads_pixels(p)) {
    return mve::copy_pieces(windows, 0, image + first * inputs, 0, count * inputs, 1);
  }
  for (int32_t of = first; of < first + count; ++of, windows += inputs) {
    const int32_t row = of / p.output_width, column = of - row * p.output_width;
    mve::copy_window(p, image, row * p.stride_height - p.padding_top,
                     column * p.stride_width - p.padding_left, windows);
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
      copy_windows(p, image, first, count, inputs, scratch.windows);
      pixels_from(p, scratch.windows, inputs, count, tables,
                  out.y + (b * pixels + first) * p.output_channels);
    }
  }
}

}  // namespace opsmith::conv_2d::i16x8
