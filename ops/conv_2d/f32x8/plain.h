// Needs Thumb. Fast as plain.h of int8 is, whose sums of a quantised image become floats.
#pragma once

#include "ops/conv_2d/f32x8/pixel_groups.h"
#include "ops/conv_2d/i8/plain.h"

namespace opsmith::conv_2d::f32x8 {

template <class P, class S>
void plain(const P& p, const In<float>& in, const Out<float>& out, const PlainTables& tables,
           const S& scratch) {
  convolve<i8::pixel_groups::Multiply>(p, in.x, out.y, tables.filter, tables.requantization,
                                       scratch);
}

}  // namespace opsmith::conv_2d::f32x8
