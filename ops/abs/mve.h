// Needs Helium. Fast because four elements are rescaled at once.
#pragma once

#include "abs.op.h"
#include "runtimes/cmsis/mve_unary.h"

namespace opsmith::abs {

struct FourSizes {
  template <class P>
  static mve::Words of(const P& p, mve::Words x) {
    return requantize(p, mve::Words{vabsq_s32(x.value)});
  }
};

template <class P>
void mve(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  mve::elements<FourSizes>(p, in.x, out.y);
}

}  // namespace opsmith::abs
