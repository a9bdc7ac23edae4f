// Needs Helium with floats. Fast as mve_taps.h: sums are rescaled in single precision.
#pragma once

#include "ops/depthwise_conv_2d/i8/mve_taps.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P>
void mve_taps_single(const P&, const In<int8_t>& in, const Out<int8_t>& out,
                     const TapsTables& tables, const MveTapsSingleScratch& scratch) {
  every_image<true>(*tables.geometry, in.x, out.y, tables, scratch);
}

}  // namespace opsmith::depthwise_conv_2d::i8
