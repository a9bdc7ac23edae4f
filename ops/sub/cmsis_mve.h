// Needs Helium. Fast because two instructions rescale and add four pairs of elements, and because
// sixteen sums are shifted and saturated at once. For rows of neighbours.
#pragma once

#include "runtimes/cmsis/mve_elements.h"
#include "sub.op.h"

namespace opsmith::sub {

template <class P>
void sub_i8_cmsis_mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  mve::affine_pairs(p, in.a, in.b, out.y);
}

}  // namespace opsmith::sub
