// Needs Helium. Fast as mve.h is, for sums that take a product and an offset of 64 bits, of which
// upper and lower halves are vectors. Channels with shifts of their own are made one by one.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/mve_rows.h"
#include "runtimes/core/high_product.h"

namespace opsmith::fully_connected::i8 {

// Four outputs. Constants are the multipliers of these, offsets, and the complements of what is
// below offsets: a lower half beyond one carries.
template <class P>
int32x4_t four_outputs(const P& p, int32x4_t sums, const int32_t* constants) {
  const int32x4_t shifted = vshlq_r_s32(sums, p.left_shift), multiplier = vldrwq_s32(constants);
  const int32x4_t low = vmulq_s32(shifted, multiplier);
  const mve_pred16_t carry =
      vcmphiq_u32(vreinterpretq_u32_s32(low), vreinterpretq_u32_s32(vldrwq_s32(constants + 8)));
  int32x4_t high = vaddq_s32(vmulhq_s32(shifted, multiplier), vldrwq_s32(constants + 4));
  high = vshlq_r_s32(vaddq_m_n_s32(high, high, 1, carry), -p.right_shift);
  return vminq_s32(vmaxq_s32(high, vdupq_n_s32(p.activation_min)), vdupq_n_s32(p.activation_max));
}

template <class P>
void mve_long(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
              const PackedMatrix& tables) {
  constexpr bool kOwn = has_own(static_cast<const P*>(nullptr));
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.channels) {
    const int8_t* weights = tables.weights;
    for (int32_t c = 0; c < p.channels; c += 4) {
      if constexpr (kOwn) {
        const auto* constants = reinterpret_cast<const LongThreshold*>(tables.requantization);
        int32_t sums[4];
        weights = mve::dot_products(x, weights, p.tail, p.full_steps, sums);
#pragma GCC unroll 4
        for (int32_t i = 0; i < 4; ++i) {
          if (c + i < p.channels) y[c + i] = requantize_sum(p, sums[i], constants[c + i]);
        }
      } else {
        int32x4_t sums;
        weights = mve::dot_products(x, weights, p.tail, p.full_steps, sums);
        sums = four_outputs(p, sums, tables.requantization + 3 * c);
        vstrbq_p_s32(y + c, sums, vctp32q(static_cast<uint32_t>(p.channels - c)));
      }
    }
  }
}

}  // namespace opsmith::fully_connected::i8
