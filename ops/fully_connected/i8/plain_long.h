// Needs Thumb. Fast as plain.h, for sums that take a product and an offset of 64 bits, and for
// those that are rounded twice.
#pragma once

#include "ops/fully_connected/i8/plain.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void plain_long(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                const PackedMatrix& tables) {
  four_at_a_time(p, in, out, tables.weights, rule_or<LongThreshold>(p, tables.requantization));
}

}  // namespace opsmith::fully_connected::i8
