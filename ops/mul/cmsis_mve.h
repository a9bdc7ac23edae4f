// Needs Helium. Fast because VMULL multiplies halfwords, so that sixteen elements take four vectors
// of products, which three instructions rescale. For rows of neighbours, and shifts to the right.
#pragma once

#include "mul.op.h"
#include "runtimes/cmsis/mve_elements.h"

namespace opsmith::mul {

// Eight products as elements of y, not yet saturated to bytes.
template <class S>
int16x8_t rescaled(const S& s, int16x8_t a, int16x8_t b) {
  a = vsubq_n_s16(a, static_cast<int16_t>(s.a_zero_point));
  b = vsubq_n_s16(b, static_cast<int16_t>(s.b_zero_point));
  const int32x4_t even = mve::requantize(vmullbq_int_s16(a, b), s.multiplier, s.shift);
  const int32x4_t odd = mve::requantize(vmulltq_int_s16(a, b), s.multiplier, s.shift);
  return vqaddq_n_s16(mve::halves(even, odd), static_cast<int16_t>(s.y_zero_point));
}

template <class S>
int8x16_t sixteen(const S& s, int8x16_t a, int8x16_t b) {
  const int16x8_t even = rescaled(s, vmovlbq_s8(a), vmovlbq_s8(b));
  const int16x8_t odd = rescaled(s, vmovltq_s8(a), vmovltq_s8(b));
  return mve::clamped(mve::bytes(even, odd), s.activation_min, s.activation_max);
}

template <class S>
void multiply_row(const S& s, const int8_t* a, const int8_t* b, int8_t* y) {
  for (int32_t n = s.size[4] >> 4; n > 0; --n, a += 16, b += 16, y += 16) {
    vstrbq_s8(y, sixteen(s, vldrbq_s8(a), vldrbq_s8(b)));
  }
  const int32_t rest = s.size[4] & 15;
  if (rest == 0) return;
  const mve_pred16_t some = vctp8q(static_cast<uint32_t>(rest));
  vstrbq_p_s8(y, sixteen(s, vldrbq_z_s8(a, some), vldrbq_z_s8(b, some)), some);
}

template <class S>
void mul_i8_cmsis_mve(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_row(s, in.a, in.b, out.y,
               [&s](const int8_t* a, const int8_t* b, int8_t* y) { multiply_row(s, a, b, y); });
}

}  // namespace opsmith::mul
