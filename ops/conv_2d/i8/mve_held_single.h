// Needs Helium with floats. Fast as mve_held.h: sums are rescaled in single precision.
#pragma once

#include "ops/conv_2d/i8/mve_held.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void mve_held_single(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                     const HeldTables& tables, const MveHeldSingleScratch& scratch) {
  const auto run = p.vectors == 1 ? convolve_held<1, mve::kSingle> : convolve_held<2, mve::kSingle>;
  run(*tables.strips, p.reversed, in.x, out.y, tables.blocks, scratch.strip);
}

}  // namespace opsmith::conv_2d::i8
