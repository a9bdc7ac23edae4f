// Needs an FPU. Fast because VSQRT is a single instruction.
#pragma once

#include "rsqrt.op.h"
#include "runtimes/cmsis/fpu_root.h"
#include "runtimes/families/unary.h"

namespace opsmith::rsqrt {

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out) {
  unary::of_each(p, in.x, out.y, [](float x) { return 1.0f / fpu::square_root(x); });
}

}  // namespace opsmith::rsqrt
