// Needs the DSP extension. Fast as dsp_lines.h, for sums some of which are exceptions.
#pragma once

#include "ops/depthwise_conv_2d/i8/dsp_lines.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P>
void dsp_lines_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                      const Packed& tables, const DspLinesListedScratch& scratch) {
  dsp_lines(p, in, out, tables, scratch);
}

}  // namespace opsmith::depthwise_conv_2d::i8
