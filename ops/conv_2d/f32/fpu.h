// Needs an FPU. Fast because each input and each weight that is loaded serves four products: sums
// of four neighbours in a row of y, and of four channels, stay in registers. Inputs are read where
// they lie, a row of the filter at a time.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/real_strips.h"
#include "runtimes/cmsis/fpu_rows.h"

namespace opsmith::conv_2d::f32 {

// The runs of a window that weights of one channel meet in order, and where those of the first
// group begin in the image and in the filter.
struct Window {
  fpu::Products runs;
  int32_t at, weights;
};
template <class P>
Window window_at(const P& p, const Corner& corner) {
  const int32_t depth = p.filter_channels, pitch = p.dilation_width * p.input_channels;
  const Taps rows = taps_inside(corner.top, p.input_height, p.filter_height, p.dilation_height);
  const Taps columns = taps_inside(corner.left, p.input_width, p.filter_width, p.dilation_width);
  const int32_t taps = columns.end - columns.first;
  const bool is_one = pitch == depth;
  const int32_t width = (taps - 1) * pitch + depth;  // inputs that a row of taps spans
  const int32_t row = corner.top + rows.first * p.dilation_height;
  Window window = {fpu::one_run(is_one ? width : depth, p.output_channels),
                   (row * p.input_width + corner.left) * p.input_channels + columns.first * pitch,
                   (rows.first * p.filter_width + columns.first) * depth};
  window.runs.runs = is_one ? 1 : taps;
  window.runs.rows = taps > 0 ? rows.end - rows.first : 0;
  window.runs.x_run = (pitch - depth) * fpu::kFloat;
  window.runs.x_row = (p.dilation_height * p.input_width * p.input_channels - width) * fpu::kFloat;
  window.runs.weight_row = (p.filter_width - taps) * depth * fpu::kFloat;
  return window;
}

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const int32_t inputs = p.filter_height * p.filter_width * p.filter_channels;
  const int32_t step = p.stride_width * p.input_channels;
  const int32_t groups = p.input_channels / p.filter_channels;
  const fpu::Bounds bounds(p);
  const auto strip = [&](const float* image, const Corner& corner, int32_t pixels, float* y) {
    Window window = window_at(p, corner);
    window.runs.bias = tables.bias;
    window.runs.y = y;
    fpu::Block block = {image + window.at, step, pixels, tables.filter + window.weights, inputs};
    for (int32_t g = 0; g < groups; ++g) {
      fpu::put_channels(window.runs, bounds, block, p.output_channels / groups);
      block.x += p.filter_channels, block.weights += p.output_channels / groups * inputs;
    }
  };
  for_each_strip(p, in.x, out.y, strip);
}

}  // namespace opsmith::conv_2d::f32
