// FullyConnected of int8 by the sums of reference.h and Q31 multipliers, as TensorFlow Lite Micro
// has it.
#pragma once

#include "ops/fully_connected/i8/reference.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void fixed_point(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                 const FixedPointTables& tables) {
  const FixedPointOutputs<P> output = {p, tables.bias, tables.multiplier, tables.shift};
  outputs(p, in, out, tables.weights, output);
}

}  // namespace opsmith::fully_connected::i8
