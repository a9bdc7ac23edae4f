// Needs Thumb. Fast as plain.h, for sums some of which are exceptions.
#pragma once

#include "ops/depthwise_conv_2d/i8/plain.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P>
void plain_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                  const PlainListedScratch& scratch) {
  by_windows(p, in, out, tables, scratch.window);
}

}  // namespace opsmith::depthwise_conv_2d::i8
