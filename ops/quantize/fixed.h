// Needs an FPU and the DSP extension. Fast because a product in fixed point decides most elements.
//
// x / scale is below 2^9 where it is not clamped. There x times the reciprocal, in units of 2^-16
// rounded towards zero, is less than 8 units from it: two roundings of 2^-24 in place of one.
#pragma once

#include "quantize.op.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/limits.h"

namespace opsmith::quantize {

inline constexpr int32_t kFractionBits = 16, kNear = 8;

// The nearest element of Y.
template <class Y>
int32_t saturated(int32_t element) {
  return Limits<Y>::kSigned ? __ssat(element, 8) : static_cast<int32_t>(__usat(element, 8));
}

// In units of 2^-16, saturated; 0 for NaN.
inline int32_t in_fixed_point(float x) {
  int32_t fixed;
  __asm("vcvt.s32.f32 %0, %0, #16" : "+t"(x));
  __asm("vmov %0, %1" : "=r"(fixed) : "t"(x));
  return fixed;
}

// What a product leaves to a division: elements near a half, or so small that they may be NaN. As
// nearest_element of runtimes/core/quantization.h, by a conversion that saturates.
template <class Y>
__attribute__((noinline, cold)) int32_t divided(float x, float scale, int32_t zero_point) {
  if (x == 0.0f) return zero_point;
  if (x != x) return Limits<Y>::kLow;
  constexpr float kHalf = 0.49999997f;
  float units = x / scale;
  units += units < 0.0f ? -kHalf : kHalf;
  int32_t whole;
  __asm("vcvt.s32.f32 %0, %0" : "+t"(units));
  __asm("vmov %0, %1" : "=r"(whole) : "t"(units));
  return saturated<Y>(__qadd(whole, zero_point));
}

template <class P, class Y>
void fixed(const P& p, const In<float, Y>& in, const Out<float, Y>& out) {
  const float scale = static_cast<float>(p.y_scale), reciprocal = 1.0f / scale;
  const int32_t zero_point = p.y_zero_point;
  const int32_t offset = (zero_point << kFractionBits) + (1 << (kFractionBits - 1)) + kNear;
  const float* x = in.x;
  Y* y = out.y;
  for (int32_t n = p.elements; n > 0; --n) {
    const float real = *x++;
    const int32_t units = in_fixed_point(real * reciprocal), found = __qadd(units, offset);
    const bool near = units == 0 || static_cast<uint16_t>(found) < 2 * kNear;
    const int32_t element =
        near ? divided<Y>(real, scale, zero_point) : saturated<Y>(found >> kFractionBits);
    *y++ = static_cast<Y>(element);
  }
}

}  // namespace opsmith::quantize
