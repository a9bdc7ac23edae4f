// Needs Helium. Fast because four channels are interpolated at once.
#pragma once

#include "ops/resize_bilinear/reference.h"
#include "resize_bilinear.op.h"
#include "runtimes/cmsis/mve_words.h"

namespace opsmith::resize_bilinear {

template <class P>
void mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto write = [&p](const Corners<int8_t>& x, int32_t down, int32_t right, int8_t* y) {
    const Weights w = weights(down, right);
    const auto sum = [w](mve::Words a, mve::Words b, mve::Words c, mve::Words d) {
      int32x4_t found = vmulq_n_s32(a.value, w.low_left);
      found = vmlaq_n_s32(found, b.value, w.high_left);
      found = vmlaq_n_s32(found, c.value, w.low_right);
      return rounding_divide_by_pot(mve::Words{vmlaq_n_s32(found, d.value, w.high_right)}, kBits);
    };
    mve::for_each_four(p.channels, y, sum, x.low_left, x.high_left, x.low_right, x.high_right);
  };
  for_each_place(p, in.x, out.y, write);
}

}  // namespace opsmith::resize_bilinear
