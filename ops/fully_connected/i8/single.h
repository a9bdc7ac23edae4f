// FullyConnected of int8 by the sums of reference.h and factors in single precision, for any sums.
#pragma once

#include "ops/fully_connected/i8/reference.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void single(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const SingleTables& tables) {
  const SingleOutputs<P> output = {p, tables.bias, tables.factor};
  outputs(p, in, out, tables.weights, output);
}

}  // namespace opsmith::fully_connected::i8
