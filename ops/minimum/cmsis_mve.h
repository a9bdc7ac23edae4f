// Needs Helium. Fast because sixteen elements are compared at once.
#pragma once

#include "minimum.op.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::minimum {

template <class S>
void minimum_i8_cmsis_mve(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto lesser = [](int8x16_t a, int8x16_t b) { return vminq_s8(a, b); };
  mve::for_each_vector(s.elements, in.a, in.b, out.y, lesser);
}

}  // namespace opsmith::minimum
