// Needs Helium. Fast because four elements are rescaled at once.
#pragma once

#include "leaky_relu.op.h"
#include "runtimes/cmsis/mve_unary.h"

namespace opsmith::leaky_relu {

struct FourSloped {
  template <class P>
  static mve::Words of(const P& p, mve::Words x) {
    mve::Words negative =
        multiply_by_quantized_multiplier(x, p.negative_multiplier, p.negative_shift);
    if (p.sign < 0) negative = {vnegq_s32(negative.value)};
    const mve::Words other = multiply_by_quantized_multiplier(x, p.multiplier, p.shift);
    return clamp(where_negative(x, negative, other), INT16_MIN, INT16_MAX);
  }
};

template <class P>
void mve(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  mve::elements<FourSloped>(p, in.x, out.y);
}

}  // namespace opsmith::leaky_relu
