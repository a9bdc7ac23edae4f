// Needs the DSP extension. Fast as ops/conv_2d/dsp_runs.h says; takes every node.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_runs.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::conv_2d::u8 {

template <class P>
void dsp_runs(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const Tables& tables) {
  const dsp::ZeroPoints zero = {p.input_zero_point, p.filter_zero_point};
  outputs_of_runs(p, in.x, tables.filter, out.y, zero, [&](int32_t c, int32_t sum) {
    const int32_t scaled = multiply_by_quantized_multiplier(sum + tables.bias[c],
                                                            tables.multiplier[c], tables.shift[c]);
    return static_cast<uint8_t>(
        clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
  });
}

}  // namespace opsmith::conv_2d::u8
