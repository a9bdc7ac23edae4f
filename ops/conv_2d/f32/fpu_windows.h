// Needs an FPU. Fast as fpu.h is, and where filters have few inputs or images few columns: windows
// of four pixels are copied, with zeros outside of the image, so that all of their inputs are one
// run.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/real_strips.h"
#include "runtimes/cmsis/fpu_rows.h"

namespace opsmith::conv_2d::f32 {

template <class P>
void fpu_windows(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables,
                 const FpuWindowsScratch& scratch) {
  const int32_t inputs = p.filter_height * p.filter_width * p.filter_channels;
  const int32_t channels = p.filter_channels * p.output_channels / p.input_channels;  // of a group
  const float* windows = scratch.windows;
  const fpu::Bounds bounds(p);
  for_each_copy(p, in.x, scratch.windows, out.y, [&](int32_t pixels, int32_t group, float* y) {
    const int32_t first = group * channels;
    fpu::multiply_rows(bounds, windows, pixels, inputs, tables.filter + first * inputs,
                       tables.bias + first, channels, y + first, p.output_channels);
  });
}

}  // namespace opsmith::conv_2d::f32
