// TransposeConv of int8 by the sums of reference.h and factors in single precision, for any sums.
#pragma once

#include "ops/transpose_conv/reference.h"
#include "runtimes/core/channel_outputs.h"

namespace opsmith::transpose_conv {

template <class P>
void single(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const SingleTables& tables) {
  const SingleOutputs<P> output = {p, tables.bias, tables.factor};
  const auto product = [&p](int32_t x, int32_t w) { return (x - p.input_zero_point) * w; };
  for_each_sum<int32_t>(p, in.x, tables.filter, out.y, product,
                        [&](int32_t sum, int32_t c) { return output(c, sum); });
}

}  // namespace opsmith::transpose_conv
