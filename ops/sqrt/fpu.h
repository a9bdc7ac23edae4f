// Needs an FPU. Fast because VSQRT is a single instruction.
#pragma once

#include "sqrt.op.h"
#include "runtimes/cmsis/fpu_root.h"
#include "runtimes/families/unary.h"

namespace opsmith::sqrt {

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out) {
  unary::of_each(p, in.x, out.y, fpu::square_root);
}

}  // namespace opsmith::sqrt
