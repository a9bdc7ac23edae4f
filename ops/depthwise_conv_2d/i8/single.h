// DepthwiseConv2D of int8 by the sums of reference.h and factors in single precision, for any sums.
#pragma once

#include "ops/depthwise_conv_2d/i8/reference.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P>
void single(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const SingleTables& tables) {
  const SingleOutputs<P> output = {p, tables.bias, tables.factor};
  outputs(p, in, out, tables.filter, output);
}

}  // namespace opsmith::depthwise_conv_2d::i8
