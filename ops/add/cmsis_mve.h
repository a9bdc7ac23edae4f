// Needs Helium. Fast because two instructions rescale and add four pairs of elements, and because
// sixteen sums are shifted and saturated at once. For rows of neighbours.
#pragma once

#include "add.op.h"
#include "runtimes/cmsis/mve_elements.h"

namespace opsmith::add {

template <class P>
void add_i8_cmsis_mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  mve::affine_pairs(p, in.a, in.b, out.y);
}

}  // namespace opsmith::add
