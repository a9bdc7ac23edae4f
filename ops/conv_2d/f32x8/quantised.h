// Images of float32 that kernels for the DSP extension quantise before they write any of y.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_real_outputs.h"
#include "runtimes/cmsis/fpu_dynamic_range.h"

namespace opsmith::conv_2d::f32x8 {

// A Params whose border is what quantised zeros are.
template <class P>
struct Quantised : P {
  int32_t input_zero_point;
};

// Calls outputs(quantised, o) for every image, which `to` then has.
template <class P, class Outputs>
void each_image(const P& p, const float* x, int8_t* to, Outputs outputs) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  for (int32_t b = 0; b < p.batches; ++b, x += size) {
    const DynamicRange range = fpu::quantized_by_range(x, size, p.by_channel, to);
    outputs(Quantised<P>{p, range.zero_point}, dsp::real_outputs(p, range, p.by_channel));
  }
}

}  // namespace opsmith::conv_2d::f32x8
