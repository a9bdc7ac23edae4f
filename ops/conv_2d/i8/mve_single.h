// Needs Helium with floats. Fast as mve.h: sums are rescaled in single precision.
#pragma once

#include "ops/conv_2d/i8/mve.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void mve_single(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const MveTables& tables,
                const MveSingleScratch& scratch) {
  convolve<false>(*tables.strips, mve::any_pairs<mve::kSingle, false>, p.reversed, in.x, out.y,
                  tables.blocks, scratch.strip);
}

}  // namespace opsmith::conv_2d::i8
