// Needs the DSP extension. Fast as dsp.h, for sums some of which are exceptions.
#pragma once

#include "ops/depthwise_conv_2d/i8/dsp.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P>
void dsp_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                const DspListedScratch& scratch) {
  all_planes<0>(p, in, out, tables, scratch, [](const int8_t* f) { return dsp::unpacked_3x3(f); });
}

}  // namespace opsmith::depthwise_conv_2d::i8
