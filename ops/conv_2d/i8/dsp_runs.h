// Needs the DSP extension. Fast as ops/conv_2d/dsp_runs.h says; takes every node.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_runs.h"
#include "runtimes/core/channel_outputs.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void dsp_runs(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  const FixedPointOutputs<P> output = {p, tables.bias, tables.multiplier, tables.shift};
  outputs_of_runs(p, in.x, tables.filter, out.y, {p.input_zero_point, 0}, output);
}

}  // namespace opsmith::conv_2d::i8
