// Softmax of bytes as table.h, for few elements. Smaller, since an exponential is the product of
// two of 32, and what rounding leaves, in units of the last place.
#pragma once

#include "ops/softmax/table.h"
#include "runtimes/core/float_bits.h"

namespace opsmith::softmax {

template <class P, class T>
void products(const P& p, const In<T, T>& in, const Out<T, T>& out, const ProductTables& tables) {
  const float *coarse = tables.coarse, *fine = tables.fine;
  const int8_t* left = tables.left;
  shares_of(p, in.x, out.y, [=](int32_t difference) {
    const float product = coarse[difference >> 4] * fine[difference & 15];
    return float_of(bits_of(product) + static_cast<uint32_t>(left[difference]));
  });
}

}  // namespace opsmith::softmax
