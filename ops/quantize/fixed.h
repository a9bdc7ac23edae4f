// Needs an FPU and the DSP extension. Fast because a product in fixed point decides most elements.
#pragma once

#include "quantize.op.h"
#include "runtimes/cmsis/fpu_bytes.h"

namespace opsmith::quantize {

// As nearest_element of runtimes/core/quantization.h, by a conversion that saturates.
template <class Y>
__attribute__((noinline, cold)) int32_t divided(float x, float scale, int32_t zero_point) {
  if (x == 0.0f) return zero_point;
  if (x != x) return Limits<Y>::kLow;
  constexpr float kHalf = 0.49999997f;
  const float units = x / scale;
  const int32_t whole = fpu::whole_part(units + (units < 0.0f ? -kHalf : kHalf));
  return fpu::saturated<Y>(__qadd(whole, zero_point));
}

template <class P, class Y>
void fixed(const P& p, const In<float, Y>& in, const Out<float, Y>& out) {
  const float scale = static_cast<float>(p.y_scale);
  const int32_t zero_point = p.y_zero_point;
  const auto exact = [=](float x) { return divided<Y>(x, scale, zero_point); };
  fpu::nearest_bytes(in.x, p.elements, scale, zero_point, out.y, exact);
}

}  // namespace opsmith::quantize
