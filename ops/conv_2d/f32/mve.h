// Needs Helium with floats. Fast because a vector of weights, of four channels, is loaded once for
// four neighbours in a row of y, whose sums stay in registers. Inputs are read where they lie, a
// row of the filter at a time.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/real_strips.h"
#include "runtimes/cmsis/mve_real_fours.h"

namespace opsmith::conv_2d::f32 {

// Whether each window is one pixel of the image.
template <class P>
constexpr bool reads_pixels(const P& p) {
  return p.filter_height == 1 && p.filter_width == 1 && p.padding_top == 0 && p.padding_left == 0 &&
         (p.output_height - 1) * p.stride_height < p.input_height &&
         (p.output_width - 1) * p.stride_width < p.input_width;
}

template <class P>
void mve(const P& p, const In<float>& in, const Out<float>& out, const RealBlocks& tables) {
  const int32_t inputs = p.filter_height * p.filter_width * p.input_channels;
  const int32_t step = p.stride_width * p.input_channels;
  const auto strip = [&](const float* image, const Corner& corner, int32_t pixels, float* y) {
    if (reads_pixels(p)) {
      const float* x = image + (corner.top * p.input_width + corner.left) * inputs;
      return mve::real::multiply_rows(p, x, step, pixels, inputs, tables, p.output_channels, y);
    }
    for (int32_t c = 0; c < p.output_channels; c += mve::real::kLanes) {
      const float* filter = tables.blocks + c * inputs;
      const auto add = [&](auto add_rows, float* sums) {
        const float* from = mve::real::kZeros;
        for_each_run(p, corner, [&](int32_t at, int32_t weights, int32_t count) {
          add_rows(image + at, step, pixels, filter + mve::real::kLanes * weights, count, from,
                   sums);
          from = sums;
        });
        return from;
      };
      mve::real::put_outputs(p, add, tables.bias + c, pixels, p.output_channels - c, y + c,
                             p.output_channels);
    }
  };
  mve::real::Subnormals subnormals;
  for_each_strip(p, in.x, out.y, strip);
}

}  // namespace opsmith::conv_2d::f32
