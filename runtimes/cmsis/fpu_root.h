// The square root by VSQRT, for kernels that require `fpu`.
#pragma once

#include "runtimes/core/float_bits.h"

namespace opsmith::fpu {

// As square_root() of runtimes/core/square_root.h: VSQRT rounds to nearest, too, but has other bits
// for negative numbers and for NaN.
inline float square_root(float x) {
  if (!(x > 0.0f)) return x < 0.0f ? -kNaN : x;
  __asm("vsqrt.f32 %0, %0" : "+t"(x));
  return x;
}

}  // namespace opsmith::fpu
