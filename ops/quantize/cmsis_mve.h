// Needs Helium. Fast because an element is one multiplication, which the compiler has tried with
// every element, and because sixteen of them are shifted and saturated at once.
#pragma once

#include "quantize.op.h"
#include "runtimes/cmsis/mve_elements.h"

namespace opsmith::quantize {

template <class P>
void quantize_i8_i8_cmsis_mve(const P& p, const In<int8_t, int8_t>& in,
                              const Out<int8_t, int8_t>& out) {
  mve::affine_elements(p, in.x, out.y);
}

}  // namespace opsmith::quantize
