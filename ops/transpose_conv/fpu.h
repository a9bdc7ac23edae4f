// Needs an FPU. Fast because sixteen sums stay in registers: four channels of four pixels that meet
// the same taps of the filter.
#pragma once

#include "ops/transpose_conv/reference.h"
#include "runtimes/cmsis/fpu_rows.h"

namespace opsmith::transpose_conv {

// How many pixels of y from a column on, a stride apart, are computed together: four where they
// meet the same taps, else one.
template <class P>
int32_t neighbours(const P& p, int32_t ox, const Pixels& columns) {
  const int32_t more = fpu::kRows - 1, last = ox + more * p.stride_width;
  if (last >= p.output_width) return 1;
  const Pixels of_last =
      covering(last + p.padding_left, p.stride_width, p.filter_width, p.input_width);
  const bool same = of_last.first == columns.first + more && of_last.end == columns.end + more;
  return same ? fpu::kRows : 1;
}

// Writes four channels of N pixels.
template <class P>
void put_four(const P& p, const float* image, const float* filter, const float* bias, int32_t down,
              int32_t right, const Pixels& rows, const Pixels& columns, int32_t together,
              float* y) {
  const int32_t inputs = p.input_channels;
  const int32_t size = p.filter_height * p.filter_width * inputs;
  const float* from = fpu::kZeros;
  float sums[fpu::kRows * fpu::kRows];
  for (int32_t row = rows.first; row < rows.end; ++row) {
    const int32_t taps = (down - row * p.stride_height) * p.filter_width + right;
    for (int32_t column = columns.first; column < columns.end; ++column, from = sums) {
      const float* x = image + (row * p.input_width + column) * inputs;
      const float* weights = filter + (taps - column * p.stride_width) * inputs;
      if (together == 1) {
        fpu::add_one_by_four(x, weights, size, inputs, from, sums);
      } else {
        fpu::add_four_by_four(x, inputs, weights, size, inputs, from, sums);
      }
    }
  }
  fpu::put_outputs(p, from, bias, together, y, p.stride_width * p.output_channels);
}

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out, const F32Tables& tables) {
  const int32_t size = p.filter_height * p.filter_width * p.input_channels;
  for (int32_t row = 0; row < p.batches * p.output_height; ++row) {
    const int32_t b = row / p.output_height, down = row - b * p.output_height + p.padding_top;
    const float* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    float* y = out.y + row * p.output_width * p.output_channels;
    const Pixels rows = covering(down, p.stride_height, p.filter_height, p.input_height);
    for (int32_t phase = 0; phase < min(p.stride_width, p.output_width); ++phase) {
      for (int32_t ox = phase, together; ox < p.output_width; ox += together * p.stride_width) {
        const int32_t right = ox + p.padding_left;
        const Pixels columns = covering(right, p.stride_width, p.filter_width, p.input_width);
        together = neighbours(p, ox, columns);
        fpu::for_each_four(p.output_channels, [&](int32_t c) {
          put_four(p, image, tables.filter + c * size, tables.bias + c, down, right, rows, columns,
                   together, y + ox * p.output_channels + c);
        });
      }
    }
  }
}

}  // namespace opsmith::transpose_conv
