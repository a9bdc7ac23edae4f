// Needs vectors. Fast because windows are copied to rows, of which several meet each weight that is
// loaded, in lanes that are output channels.
#pragma once

#include "runtimes/core/walk.h"
#include "runtimes/simd/reals.h"
#include "runtimes/simd/rows.h"
#include "simd/conv_2d.op.h"

namespace opsmith::conv_2d::simd {

// The inputs of one output pixel; outside of the image is `zero`.
template <class V, class P, class T>
void fill_row(const P& p, const T* image, T zero, int32_t top, int32_t left,
              typename V::Input* row) {
  const int32_t right = left + (p.filter_width - 1) * p.dilation_width;
  const bool whole = left >= 0 && right < p.input_width && p.dilation_width == 1;
  const int32_t run = p.filter_width * p.input_channels;
  for (int32_t fy = 0; fy < p.filter_height; ++fy, row += run) {
    const int32_t y = top + fy * p.dilation_height;
    const bool inside = y >= 0 && y < p.input_height;
    if (!inside) {
      V::repeat(zero, run, row);
      continue;
    }
    const T* line = image + y * p.input_width * p.input_channels;
    if (whole) {
      V::copy(line + left * p.input_channels, run, row);
      continue;
    }
    for (int32_t fx = 0; fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      typename V::Input* to = row + fx * p.input_channels;
      if (x >= 0 && x < p.input_width) {
        V::copy(line + x * p.input_channels, p.input_channels, to);
      } else {
        V::repeat(zero, p.input_channels, to);
      }
    }
  }
}

// Whether the pixels of x are all rows, in order, of this many inputs.
template <class P>
bool are_rows(const P& p, int32_t pitch) {
  return p.filter_height == 1 && p.filter_width == 1 && p.input_height == p.output_height &&
         p.input_width == p.output_width && p.input_channels == pitch && p.padding_top == 0 &&
         p.padding_left == 0 && p.stride_height == 1 && p.stride_width == 1;
}

// All output pixels, of windows that are copied to rows.
template <class V, class P, class T, class C>
void multiply_windows(const P& p, const T* x, T zero, const C& channels, typename V::Input* rows,
                      typename C::Output* y) {
  const int32_t image = p.input_height * p.input_width * p.input_channels;
  const int32_t pitch = channels.groups * V::kGroup;
  int32_t filled = 0;
  for (int32_t b = 0; b < p.batches; ++b) {
    for (int32_t oy = 0; oy < p.output_height; ++oy) {
      for (int32_t ox = 0; ox < p.output_width; ++ox) {
        fill_row<V>(p, x + b * image, zero, oy * p.stride_height - p.padding_top,
                    ox * p.stride_width - p.padding_left, rows + filled * pitch);
        if (++filled < V::kRows) continue;
        opsmith::simd::multiply<V>(channels, rows, filled, y);
        y += filled * p.output_channels;
        filled = 0;
      }
    }
  }
  if (filled > 0) opsmith::simd::multiply<V>(channels, rows, filled, y);
}

template <class V, class P, class T, class S>
void convolve(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const T& tables,
              const S& scratch) {
  const opsmith::simd::Outputs outputs = {p.rule, p.output_zero_point, p.activation_min,
                                          p.activation_max};
  const opsmith::simd::Channels channels = {p.output_channels, p.groups, tables.weights,
                                            tables.constants, outputs};
  const int32_t pitch = p.groups * V::kGroup;
  if (!are_rows(p, pitch)) {
    const int8_t zero = static_cast<int8_t>(p.input_zero_point);
    return multiply_windows<V>(p, in.x, zero, channels, scratch.rows, out.y);
  }
  const int32_t pixels = p.batches * p.output_height * p.output_width;
  for (int32_t first = 0; first < pixels; first += V::kRows) {
    const int32_t count = min(V::kRows, pixels - first);
    V::copy(in.x + first * pitch, count * pitch, scratch.rows);
    opsmith::simd::multiply<V>(channels, scratch.rows, count, out.y + first * p.output_channels);
  }
}

template <class V, class P, class T, class S>
void convolve_reals(const P& p, const In<float>& in, const Out<float>& out, const T& tables,
                    const S& scratch) {
  using Reals = opsmith::simd::Reals<V>;
  const opsmith::simd::RealChannels channels = {p.output_channels,
                                                p.groups,
                                                tables.weights,
                                                tables.bias,
                                                static_cast<float>(p.real_min),
                                                static_cast<float>(p.real_max)};
  if (are_rows(p, p.groups)) {
    const int32_t pixels = p.batches * p.output_height * p.output_width;
    return opsmith::simd::multiply_all<Reals>(channels, in.x, pixels, out.y);
  }
  multiply_windows<Reals>(p, in.x, 0.0f, channels, scratch.rows, out.y);
}

}  // namespace opsmith::conv_2d::simd
