// DepthwiseConv2D of int8 by the sums of reference.h. Fast because one multiplication, which is
// proved for all sums but for listed ones, takes the place of a rule's own arithmetic.
#pragma once

#include "ops/depthwise_conv_2d/i8/reference.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P>
void thresholds(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                const ThresholdTables& tables) {
  outputs(p, in, out, tables.filter, ThresholdOutputs<P>(p, tables.requantization, p.reversed));
}

}  // namespace opsmith::depthwise_conv_2d::i8
