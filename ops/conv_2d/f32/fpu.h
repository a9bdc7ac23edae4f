// Needs an FPU. Fast because each input and each weight that is loaded serves four products: sums
// of four neighbours in a row of y, and of four channels, stay in registers. Inputs are read where
// they lie, a row of the filter at a time.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/real_strips.h"
#include "runtimes/cmsis/fpu_rows.h"

namespace opsmith::conv_2d::f32 {

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const int32_t inputs = p.filter_height * p.filter_width * p.input_channels;
  const int32_t step = p.stride_width * p.input_channels;
  const auto strip = [&](const float* image, const Corner& corner, int32_t pixels, float* y) {
    fpu::for_each_four(p.output_channels, [&](int32_t c) {
      const float* filter = tables.filter + c * inputs;
      const float* from = fpu::kZeros;
      float sums[fpu::kRows * fpu::kRows];
      for_each_run(p, corner, [&](int32_t at, int32_t weights, int32_t count) {
        if (pixels == 1) {
          fpu::add_one_by_four(image + at, filter + weights, inputs, count, from, sums);
        } else {
          fpu::add_four_by_four(image + at, step, filter + weights, inputs, count, from, sums);
        }
        from = sums;
      });
      fpu::put_outputs(p, from, tables.bias + c, pixels, y + c, p.output_channels);
    });
  };
  for_each_strip(p, in.x, out.y, strip);
}

}  // namespace opsmith::conv_2d::f32
