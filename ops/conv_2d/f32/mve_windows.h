// Needs Helium with floats. Fast as mve.h is, and where filters have few inputs or images few
// columns: windows of four pixels are copied, with zeros outside of the image, so that all of their
// inputs are one run.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/real_strips.h"
#include "runtimes/cmsis/mve_real_fours.h"

namespace opsmith::conv_2d::f32 {

template <class P>
void mve_windows(const P& p, const In<float>& in, const Out<float>& out, const RealBlocks& tables,
                 const MveWindowsScratch& scratch) {
  const int32_t inputs = p.filter_height * p.filter_width * p.input_channels;
  const float* windows = scratch.windows;
  mve::real::Subnormals subnormals;
  for_each_copy(p, in.x, scratch.windows, out.y, [&](int32_t pixels, int32_t, float* y) {
    mve::real::multiply_rows(p, windows, inputs, pixels, inputs, tables, p.output_channels, y);
  });
}

}  // namespace opsmith::conv_2d::f32
