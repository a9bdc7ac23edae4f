// Needs Thumb-2. Fast as thumb2.h of int8 is, whose sums of a quantised image become floats.
#pragma once

#include "ops/conv_2d/f32x8/pixel_groups.h"
#include "ops/conv_2d/i8/thumb2.h"

namespace opsmith::conv_2d::f32x8 {

template <class P, class S>
void thumb2(const P& p, const In<float>& in, const Out<float>& out, const Packed& tables,
            const S& scratch) {
  convolve<i8::pixel_groups::Thumb2Multiply>(p, in.x, out.y, tables.filter, tables.requantization,
                                             scratch);
}

}  // namespace opsmith::conv_2d::f32x8
