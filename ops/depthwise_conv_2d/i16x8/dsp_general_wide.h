// Needs the DSP extension. Fast as dsp_general.h is, for sums of products of 32 bits that any
// multipliers and biases follow.
#pragma once

#include "ops/depthwise_conv_2d/i16x8/dsp_general.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

template <class P>
void dsp_general_wide(const P& p, const In<int16_t>& in, const Out<int16_t>& out,
                      const Packed& tables) {
  all_channels<Wide>(p, in, out, tables);
}

}  // namespace opsmith::depthwise_conv_2d::i16x8
