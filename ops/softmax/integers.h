// Softmax of int8 as products.h, by integers: for cores without an FPU, whose library is larger.
#pragma once

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/positive_floats.h"
#include "softmax.op.h"

namespace opsmith::softmax {

// Of a difference from the largest element.
inline uint32_t exponential_of(const IntegerTables& tables, int32_t difference) {
  const uint32_t* coarse = tables.coarse;
  const uint32_t* fine = tables.fine;
  const uint32_t product = positive::product(coarse[difference >> 4], fine[difference & 15]);
  return product + static_cast<uint32_t>(static_cast<int32_t>(tables.left[difference]));
}

template <class P>
void integers(const P& p, const In<int8_t, int8_t>& in, const Out<int8_t, int8_t>& out,
              const IntegerTables& tables) {
  constexpr uint32_t kHalf = 126u << 23;
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth, y += p.depth) {
    int32_t largest = -128;
    for (int32_t i = 0; i < p.depth; ++i) largest = max(largest, x[i]);
    uint32_t sum = 0;
    for (int32_t i = 0; i < p.depth; ++i) {
      sum = positive::sum(sum, exponential_of(tables, largest - x[i]));
    }
    const uint32_t scaled = positive::product(sum, static_cast<uint32_t>(p.y_scale));
    const uint32_t factor = positive::reciprocal(scaled);
    for (int32_t i = 0; i < p.depth; ++i) {
      const uint32_t share = positive::product(exponential_of(tables, largest - x[i]), factor);
      y[i] = static_cast<int8_t>(min(positive::whole(positive::sum(share, kHalf)) - 128, 127));
    }
  }
}

}  // namespace opsmith::softmax
