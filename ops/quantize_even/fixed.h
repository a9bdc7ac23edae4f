// Needs an FPU and the DSP extension. Fast because a product in fixed point decides most elements,
// and conversions to integers round halves to even.
#pragma once

#include "quantize_even.op.h"
#include "runtimes/cmsis/fpu_bytes.h"

namespace opsmith::quantize_even {

// The element of units of the scale that x is; the least one where x is NaN, whose units are 0.
inline int32_t element_of(float x, int32_t units, int32_t zero_point) {
  if (units == 0 && x != x) return INT8_MIN;
  return fpu::saturated<int8_t>(__qadd(units, zero_point));
}

inline __attribute__((noinline, cold)) int32_t divided(float x, float scale, int32_t zero_point) {
  if (x == 0.0f) return zero_point;
  return element_of(x, fpu::nearest_even(x / scale), zero_point);
}

template <class P>
void fixed(const P& p, const In<float, int8_t>& in, const Out<float, int8_t>& out) {
  const float scale = static_cast<float>(p.y_scale);
  const int32_t zero_point = p.y_zero_point;
  if (p.multiplied) {
    const float* x = in.x;
    int8_t* y = out.y;
    for (int32_t n = p.elements; n > 0; --n, ++x) {
      *y++ = static_cast<int8_t>(element_of(*x, fpu::nearest_even(*x * scale), zero_point));
    }
  } else {
    const auto exact = [=](float x) { return divided(x, scale, zero_point); };
    fpu::nearest_bytes(in.x, p.elements, scale, zero_point, out.y, exact);
  }
}

}  // namespace opsmith::quantize_even
