// Needs Helium. Fast as the kernel of int8 is: inputs and weights become int8, 128 less, and what
// the zero point of the weights then adds to a pixel's sums is a multiple of the sum of its inputs.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/mve_groups.h"

namespace opsmith::conv_2d::u8 {

template <class P>
void mve(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const MveTables& tables,
         const MveScratch& scratch) {
  const auto* x = reinterpret_cast<const int8_t*>(in.x);
  auto* y = reinterpret_cast<int8_t*>(out.y);
  if (p.linear) {
    convolve<true>(*tables.strips, mve::any_pairs<mve::kLinear, true>, p.reversed, x, y,
                   tables.blocks, scratch.strip);
  } else {
    convolve<true>(*tables.strips, mve::any_pairs<mve::kFromZero, true>, p.reversed, x, y,
                   tables.blocks, scratch.strip);
  }
}

}  // namespace opsmith::conv_2d::u8
