// Needs an FPU as a core with Helium has it. Fast because it rounds to nearest, ties away from
// zero, and knows the larger of two numbers, also where one is NaN.
#pragma once

#include "quantize.op.h"

namespace opsmith::quantize {

// The integer nearest to x within [low, high]; low for NaN.
inline int32_t nearest_within(float x, float low, float high) {
  __asm("vmaxnm.f32 %0, %0, %1" : "+t"(x) : "t"(low));
  __asm("vminnm.f32 %0, %0, %1" : "+t"(x) : "t"(high));
  __asm("vcvta.s32.f32 %0, %0" : "+t"(x));
  int32_t nearest;
  __asm("vmov %0, %1" : "=r"(nearest) : "t"(x));
  return nearest;
}

template <class P, class Y>
void fpu(const P& p, const In<float, Y>& in, const Out<float, Y>& out) {
  const float scale = static_cast<float>(p.y_scale);
  const float low = static_cast<float>(p.y_min - p.y_zero_point);
  const float high = static_cast<float>(p.y_max - p.y_zero_point);
  for (int32_t i = 0; i < p.elements; ++i) {
    out.y[i] = static_cast<Y>(nearest_within(in.x[i] / scale, low, high) + p.y_zero_point);
  }
}

}  // namespace opsmith::quantize
