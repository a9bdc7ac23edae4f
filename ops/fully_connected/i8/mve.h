// Needs Helium. Fast because VMLADAVA adds sixteen products at once, each vector of inputs that is
// loaded serves four channels, and outputs need one product, of which thresholds have proved that
// it rounds as LiteRT does in double precision.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/mve_rows.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const MveTables& tables) {
  const int32x4_t low = vdupq_n_s32(p.activation_min), high = vdupq_n_s32(p.activation_max);
  int32x4_t multiplier = vdupq_n_s32(tables.multiplier[0]);
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth) {
    const int8_t* weights = tables.weights;
    const int32_t* offset = tables.offset;
    for (int32_t c = 0; c < p.channels; c += 4) {
      int32x4_t sums;
      weights = mve::dot_products(x, weights, p.tail, p.full_steps, sums);
      if (p.per_channel) multiplier = vldrwq_s32(tables.multiplier + c);
      sums = vmulhq_s32(vshlq_r_s32(sums, p.left), multiplier);
      sums = vshlq_r_s32(vaddq_s32(sums, vldrwq_s32(offset + c)), -p.right);
      sums = vminq_s32(vmaxq_s32(sums, low), high);
      const int32_t left = p.channels - c;
      if (__builtin_constant_p(p.channels % 4 == 0) && p.channels % 4 == 0) {
        vstrbq_s32(y, sums);
        y += 4;
      } else {
        vstrbq_p_s32(y, sums, vctp32q(left));
        y += left < 4 ? left : 4;
      }
    }
  }
}

}  // namespace opsmith::fully_connected::i8
