// Needs Helium with floats. Fast as mve_grouped.h: sums are rescaled in single precision.
#pragma once

#include "ops/conv_2d/i8/mve_grouped.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void mve_grouped_single(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                        const MveGroupedTables& tables, const MveGroupedSingleScratch& scratch) {
  convolve_groups(*tables.strips, mve::any_pairs<mve::kSingle, false>, p.reversed, in.x, out.y,
                  tables.blocks, scratch);
}

}  // namespace opsmith::conv_2d::i8
