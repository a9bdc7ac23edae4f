// Needs Helium with floats. Fast because a vector of weights, of four channels, is loaded once for
// up to four rows, whose sums stay in registers.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/mve_real_fours.h"

namespace opsmith::fully_connected::f32 {

template <class P>
void mve(const P& p, const In<float>& in, const Out<float>& out, const RealBlocks& tables) {
  mve::real::Subnormals subnormals;
  for (int32_t row = 0; row < p.rows; row += mve::real::kRows) {
    const int32_t rows = p.rows - row < mve::real::kRows ? p.rows - row : mve::real::kRows;
    mve::real::multiply_rows(p, in.x + row * p.depth, p.depth, rows, p.depth, tables, p.channels,
                             out.y + row * p.channels);
  }
}

}  // namespace opsmith::fully_connected::f32
