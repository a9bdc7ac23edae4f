// Needs Helium with floats. Fast as mve.h: sums are rescaled in single precision.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/mve_rows.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void mve_single(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                const MveSingleTables& tables) {
  const int32x4_t low = vdupq_n_s32(p.activation_min), high = vdupq_n_s32(p.activation_max);
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth) {
    const int8_t* weights = tables.weights;
    for (int32_t c = 0; c < p.channels; c += 4) {
      int32x4_t sums;
      weights = mve::dot_products(x, weights, p.tail, p.full_steps, sums);
      sums = vaddq_s32(sums, vldrwq_s32(tables.bias + c));
      sums = mve::by_factors(sums, vldrwq_s32(tables.factor + c));
      sums = vqaddq_n_s32(sums, p.output_zero_point);
      const int32_t left = p.channels - c;
      vstrbq_p_s32(y, vminq_s32(vmaxq_s32(sums, low), high), vctp32q(left));
      y += left < 4 ? left : 4;
    }
  }
}

}  // namespace opsmith::fully_connected::i8
