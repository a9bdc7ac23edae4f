// Needs Helium. Fast as mve.h of int8: inputs become int8 in the ring, 128 less. Weights without
// their zero point are bytes and an offset that all share, which is multiplied by the sum of the
// inputs under a window.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/mve_ring.h"

namespace opsmith::depthwise_conv_2d::u8 {

template <class P>
void mve_ring(const P&, const In<uint8_t>& in, const Out<uint8_t>& out, const MveRingTables& tables,
              const MveRingScratch& scratch) {
  const auto* x = reinterpret_cast<const int8_t*>(in.x);
  by_rings<true>(*tables.geometry, x, reinterpret_cast<int8_t*>(out.y), tables, scratch);
}

}  // namespace opsmith::depthwise_conv_2d::u8
