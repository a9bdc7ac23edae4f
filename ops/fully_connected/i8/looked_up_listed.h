// FullyConnected of int8 as by looked_up.h, with thresholds that some sums are exceptions of.
#pragma once

#include "ops/fully_connected/i8/looked_up.h"

namespace opsmith::fully_connected::i8 {

template <class P, class S>
void looked_up_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                      const CodedThresholds& tables, const S& scratch) {
  ListedChannels channels(tables.requantization, p.exceptions_at);
  decoded_outputs(p, in, out, tables, scratch,
                  [&](int32_t c, int32_t sum) { return requantize_sum(p, sum, channels[c]); });
}

}  // namespace opsmith::fully_connected::i8
