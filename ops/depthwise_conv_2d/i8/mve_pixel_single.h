// Needs Helium with floats. Fast as mve_pixel.h: sums are rescaled in single precision.
#pragma once

#include "ops/depthwise_conv_2d/i8/mve_pixel.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P>
void mve_pixel_single(const P&, const In<int8_t>& in, const Out<int8_t>& out,
                      const PixelTables& tables) {
  convolve<true>(*tables.geometry, in.x, out.y, tables);
}

}  // namespace opsmith::depthwise_conv_2d::i8
