// Needs the DSP extension. Fast because a channel is first copied into a plane with its border,
// from which one load gives four neighbours. For filters of 3x3.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/dsp_planes.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P, class S>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
         const S& scratch) {
  all_planes<0>(p, in, out, tables, scratch, [](const int8_t* f) { return dsp::unpacked_3x3(f); });
}

}  // namespace opsmith::depthwise_conv_2d::i8
