// Needs nothing. Fast because products of bytes are so small that short multiplications rescale
// them.
#pragma once

#include "mul.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/requantize.h"

namespace opsmith::mul {

template <class S>
void mul_i8_products(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_pair(s, in.a, in.b, out.y, [&s](int8_t a, int8_t b) {
    const int32_t product = (a - s.a_zero_point) * (b - s.b_zero_point);
    const int32_t y = requantize_product(product, s.multiplier, s.shift) + s.y_zero_point;
    return static_cast<int8_t>(clamp(y, s.activation_min, s.activation_max));
  });
}

}  // namespace opsmith::mul
