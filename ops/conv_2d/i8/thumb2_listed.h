// Needs Thumb-2. Fast as thumb2.h, for sums some of which are exceptions.
#pragma once

#include "ops/conv_2d/i8/thumb2.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void thumb2_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                   const Thumb2ListedScratch& scratch) {
  pixel_groups::convolve<pixel_groups::Thumb2Multiply>(p, in, out, tables, scratch.windows);
}

}  // namespace opsmith::conv_2d::i8
