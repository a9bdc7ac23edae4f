// Needs an FPU. Fast because sixteen sums stay in registers: four channels of four pixels that meet
// the same taps of the filter.
#pragma once

#include "ops/transpose_conv/reference.h"
#include "runtimes/cmsis/fpu_rows.h"

namespace opsmith::transpose_conv {

// Whether four pixels of a row of y from a column on, a stride apart, meet the same taps.
template <class P>
bool are_four(const P& p, int32_t ox) {
  const int32_t more = fpu::kRows - 1, last = ox + more * p.stride_width;
  if (last >= p.output_width) return false;
  const Pixels of_first =
      covering(ox + p.padding_left, p.stride_width, p.filter_width, p.input_width);
  const Pixels of_last =
      covering(last + p.padding_left, p.stride_width, p.filter_width, p.input_width);
  return of_last.first == of_first.first + more && of_last.end == of_first.end + more;
}

// The first of four such pixels, one of which is the pixel in column ox; -1 if there are none.
template <class P>
int32_t first_of_four(const P& p, int32_t ox) {
  for (int32_t i = 0; i < fpu::kRows && ox >= 0; ++i, ox -= p.stride_width) {
    if (are_four(p, ox)) return ox;
  }
  return -1;
}

// The runs of pixels of x that pixels of y meet in order: weights go back as columns go on.
template <class P>
fpu::Products runs_of(const P& p, const Pixels& rows, const Pixels& columns) {
  const int32_t inputs = p.input_channels, width = (columns.end - columns.first) * inputs;
  const int32_t back = p.stride_width * inputs, taps = p.filter_width * inputs;
  fpu::Products runs = fpu::one_run(inputs, p.stride_width * p.output_channels);
  runs.runs = columns.end - columns.first;
  runs.rows = runs.runs > 0 ? rows.end - rows.first : 0;
  runs.weight_run = -(back + inputs) * fpu::kFloat;
  runs.x_row = (p.input_width * inputs - width) * fpu::kFloat;
  runs.weight_row = ((runs.runs - 1) * back - inputs - p.stride_height * taps) * fpu::kFloat;
  return runs;
}

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out, const F32Tables& tables) {
  const int32_t size = p.filter_height * p.filter_width * p.input_channels;
  const fpu::Bounds bounds(p);
  for (int32_t row = 0; row < p.batches * p.output_height; ++row) {
    const int32_t b = row / p.output_height, down = row - b * p.output_height + p.padding_top;
    const float* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    float* y = out.y + row * p.output_width * p.output_channels;
    const Pixels rows = covering(down, p.stride_height, p.filter_height, p.input_height);
    for (int32_t phase = 0; phase < min(p.stride_width, p.output_width); ++phase) {
      for (int32_t ox = phase, together; ox < p.output_width; ox += together * p.stride_width) {
        const int32_t four = first_of_four(p, ox);  // before ox where the last ones are fewer
        together = four < 0 ? 1 : fpu::kRows;
        if (four >= 0) ox = four;
        const int32_t right = ox + p.padding_left;
        const Pixels columns = covering(right, p.stride_width, p.filter_width, p.input_width);
        fpu::Products runs = runs_of(p, rows, columns);
        const float* x = image + (rows.first * p.input_width + columns.first) * p.input_channels;
        const int32_t tap = (down - rows.first * p.stride_height) * p.filter_width + right -
                            columns.first * p.stride_width;
        runs.bias = tables.bias;
        runs.y = y + ox * p.output_channels;
        fpu::put_channels(
            runs, bounds,
            {x, p.input_channels, together, tables.filter + tap * p.input_channels, size},
            p.output_channels);
      }
    }
  }
}

}  // namespace opsmith::transpose_conv
