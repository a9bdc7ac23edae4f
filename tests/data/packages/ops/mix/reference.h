// Mix, the definition.
#pragma once

#include <fastmath/fastmath.h>

#include "mix.op.h"

namespace opsmith::mix {

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = fastmath_tripled(in.x[i], FASTMATH_BIAS);
}

}  // namespace opsmith::mix
