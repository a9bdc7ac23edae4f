// Mul of int8. Fast because one multiplication, which is proved for all products, rescales them.
#pragma once

#include "mul.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/high_product.h"

namespace opsmith::mul {

template <class P>
void thresholds(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int8_t a, int8_t b) {
    const int32_t product = (a - p.a_zero_point) * (b - p.b_zero_point);
    return requantize_sum(p, product, Threshold{p.multiplier, p.offset});
  });
}

}  // namespace opsmith::mul
