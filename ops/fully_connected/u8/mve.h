// Needs Helium. Fast as the kernel of int8 is: inputs and weights are int8 here, 128 less, and what
// the zero point of the weights then adds to the sums of a row is a multiple of the sum of its
// elements.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/mve_rows.h"

namespace opsmith::fully_connected::u8 {

template <class P>
void mve(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const MveTables& tables,
         const MveScratch& scratch) {
  const int32x4_t low = vdupq_n_s32(p.activation_min), high = vdupq_n_s32(p.activation_max);
  const int32x4_t multiplier = vdupq_n_s32(tables.multiplier[0]);
  auto* y = reinterpret_cast<int8_t*>(out.y);
  for (int32_t row = 0; row < p.rows; ++row) {
    const int8_t* weights = tables.weights;
    mve::copy(scratch.row, reinterpret_cast<const int8_t*>(in.x) + row * p.depth, p.depth);
    mve::flip(scratch.row, p.depth);
    const int32_t base = p.sum_factor * mve::sum_of(scratch.row, p.depth);
    for (int32_t c = 0; c < p.channels; c += 4) {
      int32x4_t sums;
      weights = mve::dot_products(scratch.row, weights, p.tail, p.full_steps, sums);
      sums = vmulhq_s32(vshlq_r_s32(vaddq_n_s32(sums, base), p.left), multiplier);
      sums = vshlq_r_s32(vaddq_s32(sums, vldrwq_s32(tables.offset + c)), -p.right);
      const int32_t left = p.channels - c;
      vstrbq_p_s32(y, vminq_s32(vmaxq_s32(sums, low), high), vctp32q(left));
      y += left < 4 ? left : 4;
    }
  }
}

}  // namespace opsmith::fully_connected::u8
