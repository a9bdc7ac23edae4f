// Needs Helium with floats. Fast as mve_quads.h: sums are rescaled in single precision.
#pragma once

#include "ops/conv_2d/i8/mve_quads.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void mve_quads_single(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                      const QuadsTables& tables, const MveQuadsSingleScratch& scratch) {
  Walk walk(*tables.geometry, p.reversed, in.x, out.y, tables.blocks, scratch.strip);
  any_quads<mve::kSingle>(p.taps, walk);
}

}  // namespace opsmith::conv_2d::i8
