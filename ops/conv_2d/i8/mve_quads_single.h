// Needs Helium with floats. Fast as mve_quads.h: sums are rescaled in single precision.
#pragma once

#include "ops/conv_2d/i8/mve_quads.h"
#include "runtimes/cmsis/mve_pairs.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void mve_quads_single(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                      const QuadsTables& tables, const MveQuadsSingleScratch& scratch) {
  Walk walk(*tables.geometry, p.reversed, in.x, out.y, tables.blocks, scratch.strip);
  switch (p.taps) {
    case 3:
      return convolve_quads<3, mve::kSingle>(walk);
    case 5:
      return convolve_quads<5, mve::kSingle>(walk);
    case 7:
      return convolve_quads<7, mve::kSingle>(walk);
    default:
      return convolve_quads<9, mve::kSingle>(walk);
  }
}

}  // namespace opsmith::conv_2d::i8
