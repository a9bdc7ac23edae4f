// Needs Helium. Fast because VMLADAVA adds eight products at once, each vector of inputs that is
// loaded serves four channels, and these are requantised together. Where sums may not fit 32 bits,
// VMLALDAVA adds them in 64.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/mve_narrow.h"
#include "runtimes/core/exact_scale.h"

namespace opsmith::fully_connected::i16x8 {

// As `Exact` has it, of four channels.
struct FourExact {
  int32_t bias[4];
  uint32_t low[4];
  uint32_t high[4];
  int32_t shift[4];
};

// Four sums as scaled() of runtimes/core/exact_scale.h makes outputs of them, before the clamp.
inline int32x4_t requantize_four(int32x4_t sums, const FourExact& constants) {
  const int32x4_t sum = vaddq_s32(sums, vldrwq_s32(constants.bias));
  const uint32x4_t magnitude = vreinterpretq_u32_s32(vabsq_s32(sum));
  const uint32x4_t high = vldrwq_u32(constants.high);
  const uint32x4_t carried = vmulhq_u32(magnitude, vldrwq_u32(constants.low));
  const uint32x4_t lower = vaddq_u32(vmulq_u32(magnitude, high), carried);
  uint32x4_t upper = vmulhq_u32(magnitude, high);
  upper = vaddq_m_n_u32(upper, upper, 1, vcmphiq_u32(carried, lower));
  const uint32x4_t twice = vshlq_u32(upper, vnegq_s32(vldrwq_s32(constants.shift)));
  const int32x4_t scaled = vreinterpretq_s32_u32(vrshrq_n_u32(twice, 1));
  return vnegq_m_s32(scaled, scaled, vcmpltq_n_s32(sum, 0));
}

template <class P>
void rows_of_32_bits(const P& p, const int16_t* x, const PackedMatrix& tables, int16_t* y) {
  const mve::Vectors size = mve::vectors(p.depth);
  const int32x4_t low = vdupq_n_s32(p.activation_min), high = vdupq_n_s32(p.activation_max);
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth) {
    const int8_t* w = tables.weights;
    const auto* constants = reinterpret_cast<const FourExact*>(tables.requantization);
    for (int32_t left = p.channels; left > 0; left -= 4, ++constants) {
      int32x4_t sums;
      w = mve::dot_products(x, w, size, sums);
      const int32x4_t found = requantize_four(sums, *constants);
      vstrhq_p_s32(y, vminq_s32(vmaxq_s32(found, low), high), vctp32q(left));
      y += min(left, 4);
    }
  }
}

template <class P>
void rows_of_64_bits(const P& p, const int16_t* x, const PackedMatrix& tables, int16_t* y) {
  const mve::Vectors size = mve::vectors(p.depth);
  const auto* constants = reinterpret_cast<const Real*>(tables.requantization);
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth) {
    const int8_t* w = tables.weights;
    for (int32_t c = 0; c < p.channels; c += 4) {
      int64_t sums[4];
      w = mve::dot_products(x, w, size, sums);
      for (int32_t i = c; i < c + 4 && i < p.channels; ++i) {
        const int32_t scaled = requantize(sums[i - c], constants[i]);
        *y++ = static_cast<int16_t>(clamp(scaled, p.activation_min, p.activation_max));
      }
    }
  }
}

template <class P>
void mve(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const PackedMatrix& tables) {
  if (p.wide) {
    rows_of_64_bits(p, in.x, tables, out.y);
  } else {
    rows_of_32_bits(p, in.x, tables, out.y);
  }
}

}  // namespace opsmith::fully_connected::i16x8
