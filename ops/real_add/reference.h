// Real add, the definition.
#pragma once

#include "real_add.op.h"
#include "runtimes/families/real_pairs.h"

namespace opsmith::real_add {

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  binary::reals<binary::Sum>(p, in.a, in.b, out.y);
}

}  // namespace opsmith::real_add
