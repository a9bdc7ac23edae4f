// Needs Helium. Fast because VMULL multiplies halfwords, so that sixteen elements take four vectors
// of products, which three instructions rescale. For rows of neighbours, and shifts to the right.
#pragma once

#include "mul.op.h"
#include "runtimes/cmsis/mve_elements.h"

namespace opsmith::mul {

// Eight products as elements of y, not yet saturated to bytes.
template <class P>
int16x8_t rescaled(const P& p, int16x8_t a, int16x8_t b) {
  a = vsubq_n_s16(a, static_cast<int16_t>(p.a_zero_point));
  b = vsubq_n_s16(b, static_cast<int16_t>(p.b_zero_point));
  const int32x4_t even = mve::requantize(vmullbq_int_s16(a, b), p.multiplier, p.shift);
  const int32x4_t odd = mve::requantize(vmulltq_int_s16(a, b), p.multiplier, p.shift);
  return vqaddq_n_s16(mve::halves(even, odd), static_cast<int16_t>(p.y_zero_point));
}

template <class P>
int8x16_t sixteen(const P& p, int8x16_t a, int8x16_t b) {
  const int16x8_t even = rescaled(p, vmovlbq_s8(a), vmovlbq_s8(b));
  const int16x8_t odd = rescaled(p, vmovltq_s8(a), vmovltq_s8(b));
  return mve::clamped<int8_t>(mve::bytes(even, odd), p.activation_min, p.activation_max);
}

template <class P>
void mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto products = [&p](int8x16_t a, int8x16_t b) { return sixteen(p, a, b); };
  for_each_row(p, in.a, in.b, out.y, [&](const int8_t* a, const int8_t* b, int8_t* y) {
    mve::for_each_vector(p.size[4], a, b, y, products);
  });
}

}  // namespace opsmith::mul
