// Needs Helium. Fast because sixteen elements are compared at once.
#pragma once

#include "maximum.op.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::maximum {

template <class S>
void maximum_i8_cmsis_mve(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto greater = [](int8x16_t a, int8x16_t b) { return vmaxq_s8(a, b); };
  mve::for_each_vector(s.elements, in.a, in.b, out.y, greater);
}

}  // namespace opsmith::maximum
