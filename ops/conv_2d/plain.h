// Needs Thumb. Fast because a weight that is loaded serves two pixels and an input four output
// channels: eight sums in registers. Windows are copied with their border, so that no product is
// skipped and zero points are in the constants.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/high_product.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d {
namespace plain {

inline constexpr int32_t kPixels = 2;
inline constexpr int32_t kChannels = 4;

// Every other byte of `to` becomes one of `from`.
inline void spread(const int8_t* from, int32_t bytes, int8_t* to) {
#pragma GCC unroll 4
  for (int32_t i = 0; i < bytes; ++i) to[kPixels * i] = from[i];
}

// The inputs of one output pixel, in every other byte; outside of the image is the zero point.
template <class S>
void spread_window(const S& s, const int8_t* image, int32_t top, int32_t left, int8_t* window) {
  const int32_t row = s.filter_width * s.input_channels;
  const int32_t right = left + (s.filter_width - 1) * s.dilation_width;
  const bool whole = left >= 0 && right < s.input_width && s.dilation_width == 1;
  for (int32_t fy = 0; fy < s.filter_height; ++fy) {
    const int32_t y = top + fy * s.dilation_height;
    const bool inside = y >= 0 && y < s.input_height;
    const int8_t* pixels = image + (y * s.input_width + left) * s.input_channels;
    if (inside && whole) {
      spread(pixels, row, window);
      window += kPixels * row;
      continue;
    }
    for (int32_t fx = 0; fx < s.filter_width; ++fx) {
      const int32_t x = left + fx * s.dilation_width;
      if (inside && x >= 0 && x < s.input_width) {
        spread(pixels + fx * s.dilation_width * s.input_channels, s.input_channels, window);
      } else {
        for (int32_t c = 0; c < s.input_channels; ++c) {
          window[kPixels * c] = static_cast<int8_t>(s.input_zero_point);
        }
      }
      window += kPixels * s.input_channels;
    }
  }
}

// The sums of the products of four channels with two windows, whose bytes take turns: one window
// after the other, for cores with few registers.
struct Multiply {
  __attribute__((noinline)) static void sums_of(const int8_t* x, int32_t size, const int8_t* w,
                                                int32_t (&sums)[kPixels][kChannels]) {
    for (int32_t p = 0; p < kPixels; ++p) {
      int32_t a = 0, b = 0, c = 0, d = 0;
      const int8_t* weights = w;
      const int8_t* end = x + kPixels * size + p;
      for (const int8_t* pixel = x + p; pixel != end; pixel += kPixels, weights += kChannels) {
        const int32_t value = *pixel;
        a += weights[0] * value;
        b += weights[1] * value;
        c += weights[2] * value;
        d += weights[3] * value;
      }
      sums[p][0] = a, sums[p][1] = b, sums[p][2] = c, sums[p][3] = d;
    }
  }
};

// All channels of as many pixels as there are of a pair.
template <class Multiply, class Constants, class S>
void pair_outputs(const S& s, const int8_t* windows, int32_t size, int32_t pixels,
                  const int8_t* weights, const Constants* constants, int8_t* y) {
  for (int32_t c = 0; c < s.output_channels; c += kChannels, weights += kChannels * size) {
    int32_t sums[kPixels][kChannels];
    Multiply::sums_of(windows, size, weights, sums);
    const int32_t channels = min(s.output_channels - c, kChannels);
    for (int32_t i = 0; i < channels; ++i) {
      const Constants channel = constants[c + i];
      y[c + i] = requantize_sum(s, sums[0][i], channel);
      if (pixels == kPixels) {
        y[s.output_channels + c + i] = requantize_sum(s, sums[1][i], channel);
      }
    }
  }
}

// The whole convolution, with what computes sums.
template <class Multiply, class S>
void convolve(const S& s, const In<int8_t>& in, const Out<int8_t>& out, const PlainTables& tables,
              int8_t* windows) {
  const int32_t size = s.filter_height * s.filter_width * s.input_channels;
  const int32_t pixels = s.output_height * s.output_width;
  const int32_t last = (pixels - 1) / kPixels * kPixels;
  for (int32_t i = 0; i < s.batches; ++i) {
    const int32_t b = nth(i, s.batches, s.reversed);
    const int8_t* image = in.x + b * s.input_height * s.input_width * s.input_channels;
    for (int32_t j = 0; j < pixels; j += kPixels) {
      const int32_t first = s.reversed ? last - j : j;
      const int32_t count = min(pixels - first, kPixels);
      for (int32_t k = 0; k < kPixels; ++k) {
        const int32_t pixel = min(first + k, pixels - 1);  // of half a pair: twice the one
        const int32_t row = pixel / s.output_width;
        const int32_t column = pixel - row * s.output_width;
        spread_window(s, image, row * s.stride_height - s.padding_top,
                      column * s.stride_width - s.padding_left, windows + k);
      }
      int8_t* y = out.y + (b * pixels + first) * s.output_channels;
      if (s.right_shift != 0) {
        pair_outputs<Multiply>(s, windows, size, count, tables.filter,
                               reinterpret_cast<const Threshold*>(tables.requantization), y);
      } else {
        pair_outputs<Multiply>(s, windows, size, count, tables.filter,
                               reinterpret_cast<const Rounding*>(tables.requantization), y);
      }
    }
  }
}

}  // namespace plain

template <class S>
void conv_2d_i8_plain(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                      const PlainTables& tables, const PlainScratch& scratch) {
  plain::convolve<plain::Multiply>(s, in, out, tables, scratch.windows);
}

}  // namespace opsmith::conv_2d
