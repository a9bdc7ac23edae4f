// Needs Thumb. Fast as plain.h, for sums some of which are exceptions.
#pragma once

#include "ops/fully_connected/i8/plain.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void plain_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                  const PackedMatrix& tables) {
  const ListedChannels constants(tables.requantization, p.exceptions_at);
  four_at_a_time(p, in, out, tables.weights, constants);
}

}  // namespace opsmith::fully_connected::i8
