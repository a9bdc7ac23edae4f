// Needs RV32M. Fast as rv32.h of int8 is, whose sums of a quantised image become floats.
#pragma once

#include "ops/conv_2d/f32x8/pixel_groups.h"
#include "ops/conv_2d/i8/rv32.h"

namespace opsmith::conv_2d::f32x8 {

template <class P, class S>
void rv32(const P& p, const In<float>& in, const Out<float>& out, const Packed& tables,
          const S& scratch) {
  convolve<i8::pixel_groups::Rv32Multiply>(p, in.x, out.y, tables.filter, tables.requantization,
                                           scratch);
}

}  // namespace opsmith::conv_2d::f32x8
