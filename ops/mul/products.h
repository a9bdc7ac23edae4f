// Needs nothing. Fast because products of bytes are so small that short multiplications rescale
// them.
#pragma once

#include "mul.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/requantize.h"

namespace opsmith::mul {

template <class P>
void mul_i8_products(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int8_t a, int8_t b) {
    const int32_t product = (a - p.a_zero_point) * (b - p.b_zero_point);
    const int32_t y = requantize_product(product, p.multiplier, p.shift) + p.y_zero_point;
    return static_cast<int8_t>(clamp(y, p.activation_min, p.activation_max));
  });
}

}  // namespace opsmith::mul
