// Needs the DSP extension. Fast because SMLAD adds two products at once, of inputs that are read
// where they are. For windows of one pixel and too few channels to share what is spread.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_dot.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// All channels of all pixels, with these constants.
template <class P, class C>
void pixel_by_pixel(const P& p, const int8_t* x, const int8_t* filter, const C* constants,
                    int8_t* y) {
  const int32_t inputs = p.input_channels, outputs = p.output_channels;
  for_each_pixel(p, [=, &p](int32_t, int32_t, int32_t, int32_t pixel) {
    for (int32_t c = 0; c < outputs; ++c) {
      const int32_t sum = dsp::dot(x + pixel * inputs, filter + c * inputs, inputs);
      y[pixel * outputs + c] = dsp::requantize(p, sum, constants[c]);
    }
  });
}

template <class P>
void dsp_few(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables) {
  if (p.right_shift != 0) {
    const auto* constants = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
    pixel_by_pixel(p, in.x, tables.filter, constants, out.y);
  } else {
    const auto* constants = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
    pixel_by_pixel(p, in.x, tables.filter, constants, out.y);
  }
}

}  // namespace opsmith::conv_2d::i8
