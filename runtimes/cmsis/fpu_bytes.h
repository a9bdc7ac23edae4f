// The bytes nearest to floats, by an FPU and the DSP extension. A product in fixed point decides
// most of them, where a division would take most of the time.
//
// x / scale is below 2^9 where it is not clamped. There x times the reciprocal, in units of 2^-16
// rounded towards zero, is less than 8 units from it: two roundings of 2^-24 in place of one.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/limits.h"

namespace opsmith::fpu {

inline constexpr int32_t kFractionBits = 16, kNear = 8;

// The nearest element of Y.
template <class Y>
int32_t saturated(int32_t element) {
  return Limits<Y>::kSigned ? __ssat(element, 8) : static_cast<int32_t>(__usat(element, 8));
}

// The bits of a result that a conversion left in a register of the FPU.
inline int32_t converted(float x) {
  int32_t integer;
  __asm("vmov %0, %1" : "=r"(integer) : "t"(x));
  return integer;
}

// Integers, saturated, and 0 for NaN: rounded towards zero, to the nearest with halves to even, and
// in units of 2^-16 towards zero.
inline int32_t whole_part(float x) {
  __asm("vcvt.s32.f32 %0, %0" : "+t"(x));
  return converted(x);
}
inline int32_t nearest_even(float x) {
  __asm("vcvtr.s32.f32 %0, %0" : "+t"(x));
  return converted(x);
}
inline int32_t in_fixed_point(float x) {
  __asm("vcvt.s32.f32 %0, %0, #16" : "+t"(x));
  return converted(x);
}

// y[i] is the element nearest to x[i] / scale + zero_point, where a product decides; else exact(x),
// also where x is so small that it may be NaN.
template <class Y, class Exact>
void nearest_bytes(const float* x, int32_t elements, float scale, int32_t zero_point, Y* y,
                   Exact exact) {
  const float reciprocal = 1.0f / scale;
  const int32_t offset = (zero_point << kFractionBits) + (1 << (kFractionBits - 1)) + kNear;
  for (int32_t n = elements; n > 0; --n) {
    const float real = *x++;
    const int32_t units = in_fixed_point(real * reciprocal), found = __qadd(units, offset);
    const bool near = units == 0 || static_cast<uint16_t>(found) < 2 * kNear;
    *y++ = static_cast<Y>(near ? exact(real) : saturated<Y>(found >> kFractionBits));
  }
}

}  // namespace opsmith::fpu
