// Needs Helium. Fast because sixteen elements are compared at once.
#pragma once

#include "minimum.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::minimum {

template <class P>
void minimum_i8_cmsis_mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto lesser = [](int8x16_t a, int8x16_t b) { return vminq_s8(a, b); };
  for_each_row(p, in.a, in.b, out.y, [&](const int8_t* a, const int8_t* b, int8_t* y) {
    mve::for_each_vector(p.size[4], a, b, y, lesser);
  });
}

}  // namespace opsmith::minimum
