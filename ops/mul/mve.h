// Needs Helium. Fast because VMULL multiplies halfwords, so that sixteen elements take four vectors
// of products, which three instructions rescale. For rows of neighbours, and shifts to the right.
#pragma once

#include "mul.op.h"
#include "runtimes/cmsis/mve_elements.h"
#include "runtimes/core/float_bits.h"

namespace opsmith::mul {

// Four products at the scale of y; kSingle: by a factor in single precision.
template <bool kSingle, class P>
int32x4_t rescaled(const P& p, int32x4_t products) {
  if constexpr (kSingle) {
    const uint32_t factor = bits_of(static_cast<float>(p.factor));
    return mve::by_factors(products, vreinterpretq_s32_u32(vdupq_n_u32(factor)));
  } else {
    return mve::requantize(products, p.multiplier, p.shift);
  }
}

// Eight products as elements of y, not yet saturated to bytes.
template <bool kSingle, class P>
int16x8_t eight(const P& p, int16x8_t a, int16x8_t b) {
  a = vsubq_n_s16(a, static_cast<int16_t>(p.a_zero_point));
  b = vsubq_n_s16(b, static_cast<int16_t>(p.b_zero_point));
  const int32x4_t even = rescaled<kSingle>(p, vmullbq_int_s16(a, b));
  const int32x4_t odd = rescaled<kSingle>(p, vmulltq_int_s16(a, b));
  return vqaddq_n_s16(mve::halves(even, odd), static_cast<int16_t>(p.y_zero_point));
}

template <bool kSingle, class P>
int8x16_t sixteen(const P& p, int8x16_t a, int8x16_t b) {
  const int16x8_t even = eight<kSingle>(p, vmovlbq_s8(a), vmovlbq_s8(b));
  const int16x8_t odd = eight<kSingle>(p, vmovltq_s8(a), vmovltq_s8(b));
  return mve::clamped<int8_t>(mve::bytes(even, odd), p.activation_min, p.activation_max);
}

template <bool kSingle, class P>
void multiply(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto products = [&p](int8x16_t a, int8x16_t b) { return sixteen<kSingle>(p, a, b); };
  for_each_row(p, in.a, in.b, out.y, [&](const int8_t* a, const int8_t* b, int8_t* y) {
    mve::for_each_vector(p.size[4], a, b, y, products);
  });
}

template <class P>
void mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  multiply<false>(p, in, out);
}

}  // namespace opsmith::mul
