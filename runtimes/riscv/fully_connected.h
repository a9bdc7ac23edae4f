// Needs Zve32x. Fast as rows.h, a row at a time; one product of 64 bits requantises a sum.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/riscv/rows.h"

namespace opsmith::fully_connected::riscv {

template <class P, class T>
void rvv(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const T& tables) {
  using opsmith::riscv::LongProducts;
  const opsmith::riscv::Outputs outputs = {p.channels, tables.constants, p.left_shift,
                                           0,          p.activation_min, p.activation_max};
  for (int32_t row = 0; row < p.rows; ++row) {
    opsmith::riscv::multiply<LongProducts, 1>(outputs, in.x + row * p.depth, p.depth,
                                              tables.weights, 1, out.y + row * p.channels);
  }
}

}  // namespace opsmith::fully_connected::riscv
