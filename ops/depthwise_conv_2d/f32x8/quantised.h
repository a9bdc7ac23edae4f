// Images of float32 that kernels for the DSP extension quantise before they write any of y.
#pragma once

#include <string.h>

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp_real_outputs.h"
#include "runtimes/cmsis/fpu_dynamic_range.h"

namespace opsmith::depthwise_conv_2d::f32x8 {

// Calls outputs(o) for every image of N inputs, which `to` then has, while all of the plane is what
// quantised zeros are.
template <class P, class Outputs>
void each_image(const P& p, const float* x, int32_t size, int8_t* to, int8_t* plane, int32_t bytes,
                Outputs outputs) {
  for (int32_t b = 0; b < p.batches; ++b, x += size) {
    const DynamicRange range = fpu::quantized_by_range(x, size, true, to);
    memset(plane, range.zero_point, static_cast<size_t>(bytes));
    outputs(dsp::real_outputs(p, range, false));
  }
}

}  // namespace opsmith::depthwise_conv_2d::f32x8
