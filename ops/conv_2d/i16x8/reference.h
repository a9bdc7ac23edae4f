// Conv2D of int16, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/conv.h). Sums have 64 bits; with a bias
// of int32 the upper ones are lost.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/narrow.h"
#include "runtimes/families/convolution.h"

namespace opsmith::conv_2d::i16x8 {

// The element of channel c that a sum gives.
template <class P>
int16_t output(const P& p, int64_t sum, const Tables& tables, int32_t c) {
  return narrowed(p, sum + tables.bias[c], tables.multiplier[c], tables.shift[c]);
}

template <class P>
int16_t output(const P& p, int64_t sum, const Tables32& tables, int32_t c) {
  const int32_t scaled = multiply_by_quantized_multiplier(
      static_cast<int32_t>(sum + tables.bias[c]), tables.multiplier[c], tables.shift[c]);
  return static_cast<int16_t>(clamp(scaled, p.activation_min, p.activation_max));
}

template <class P, class T>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const T& tables) {
  const auto product = [](int16_t x, int8_t w) { return x * w; };
  outputs_of_windows<int64_t>(p, in.x, tables.filter, out.y, product,
                              [&](int64_t sum, int32_t c) { return output(p, sum, tables, c); });
}

}  // namespace opsmith::conv_2d::i16x8
