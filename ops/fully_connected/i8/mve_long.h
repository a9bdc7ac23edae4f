// Needs Helium. Fast as mve.h is, for sums that take a product and an offset of 64 bits: SMLAL
// makes both.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/mve_rows.h"
#include "runtimes/core/high_product.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void mve_long(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
              const PackedMatrix& tables) {
  const auto* constants = reinterpret_cast<const LongThreshold*>(tables.requantization);
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.channels) {
    const int8_t* weights = tables.weights;
    for (int32_t c = 0; c < p.channels; c += 4) {
      int32_t sums[4];
      weights = mve::dot_products(x, weights, p.tail, p.full_steps, sums);
#pragma GCC unroll 4
      for (int32_t i = 0; i < 4; ++i) {
        if (c + i < p.channels) y[c + i] = requantize_sum(p, sums[i], constants[c + i]);
      }
    }
  }
}

}  // namespace opsmith::fully_connected::i8
