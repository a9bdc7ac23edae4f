// Needs Helium with floats. Fast as mve.h: products are rescaled in single precision.
#pragma once

#include "ops/mul/mve.h"

namespace opsmith::mul {

template <class P>
void mve_single(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  multiply<true>(p, in, out);
}

}  // namespace opsmith::mul
