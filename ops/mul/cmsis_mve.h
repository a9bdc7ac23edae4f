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
void mul_i8_cmsis_mve(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto products = [&s](int8x16_t a, int8x16_t b) { return sixteen(s, a, b); };
  for_each_row(s, in.a, in.b, out.y, [&](const int8_t* a, const int8_t* b, int8_t* y) {
    mve::for_each_vector(s.size[4], a, b, y, products);
  });
}

}  // namespace opsmith::mul
