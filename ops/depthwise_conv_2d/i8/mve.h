// Needs Helium. Fast because VMULLB and VMULLT multiply sixteen channels by their weights, and the
// products of two taps are added in 16 bits before they are widened. Sixteen channels at a time,
// the rows under the filter are copied into a ring with their border, so that y may replace x.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/mve_ring.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <class P>
void mve(const P&, const In<int8_t>& in, const Out<int8_t>& out, const MveTables& tables,
         const MveScratch& scratch) {
  by_rings<false>(*tables.geometry, in.x, out.y, tables, scratch);
}

}  // namespace opsmith::depthwise_conv_2d::i8
