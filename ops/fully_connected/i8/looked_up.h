// FullyConnected of int8 by the sums of reference.h. Small because weights are codes of a few bits,
// which are decoded channel by channel, once for all rows.
#pragma once

#include "ops/fully_connected/i8/reference.h"
#include "runtimes/core/weight_codes.h"

namespace opsmith::fully_connected::i8 {

// All outputs; output(c, sum) is that of a channel.
template <class P, class T, class S, class F>
void decoded_outputs(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const T& tables,
                     const S& scratch, F output) {
  const uint8_t* codes = tables.codes;
  const int8_t* values = tables.values;
  for (int32_t c = 0; c < p.channels; ++c, values += p.values_step) {
    codes = look_up(p, codes, values, p.depth, scratch.weights);
    for (int32_t row = 0; row < p.rows; ++row) {
      const int32_t sum = dot_product(p, in.x + row * p.depth, scratch.weights);
      out.y[row * p.channels + c] = output(c, sum);
    }
  }
}

template <class P, class S>
void looked_up(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const CodedScales& tables,
               const S& scratch) {
  decoded_outputs(p, in, out, tables, scratch, scaled_outputs(p, tables));
}

}  // namespace opsmith::fully_connected::i8
