// Needs the DSP extension. Fast because Q31's products with numbers from 2^30 on, such as
// reciprocals, are SMMLAR's, and shifts round in four instructions.
#pragma once

#include "ops/div/reference.h"
#include "runtimes/cmsis/dsp_exponentials.h"
#include "runtimes/cmsis/dsp_words.h"

namespace opsmith::div {

// As rescaled_quotient in reference.h, of bytes: b is below 2^8, and 1 / b no less than 2^30.
template <class P>
__attribute__((always_inline)) inline int32_t quotient_of_bytes(const P& p, int32_t a, int32_t b) {
  if (b < 0) {
    a = -a;
    b = -b;
  }
  const int32_t above = __builtin_clz(static_cast<uint32_t>(b));
  const int32_t inverse = dsp::reciprocal_of(static_cast<uint32_t>(b) << above);
  const int32_t headroom = a == 0 ? 31 : __builtin_clrsb(a);
  const int32_t unscaled = dsp::doubled_high_product(shift_left(a, headroom), inverse);
  const int32_t x = dsp::doubled_high_product(unscaled, p.multiplier);
  const int32_t exponent = 31 - above + headroom - p.shift;
  if (exponent < 1 || exponent > 31) return shifted(x, exponent);
  return (((x + (x >> 31)) >> (exponent - 1)) + 1) >> 1;
}

template <class P, class T>
void dsp(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int32_t a, int32_t b) {
    a -= p.a_zero_point;
    b -= p.b_zero_point;
    const int32_t y = b == 0 ? 0 : quotient_of_bytes(p, a, b);
    const dsp::Word found{y + p.y_zero_point};
    return static_cast<T>(clamp(found, p.activation_min, p.activation_max).value);
  });
}

}  // namespace opsmith::div
