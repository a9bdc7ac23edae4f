// Conv2D of uint8, the definition
// (tensorflow/lite/kernels/internal/reference/conv.h).
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/families/convolution.h"

namespace opsmith::conv_2d::u8 {

template <class P>
void reference(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const Tables& tables) {
  const auto product = [&p](int32_t x, int32_t w) {
    return (x - p.input_zero_point) * (w - p.filter_zero_point);
  };
  outputs_of_windows<int32_t>(p, in.x, tables.filter, out.y, product, [&](int32_t sum, int32_t c) {
    const int32_t scaled = multiply_by_quantized_multiplier(sum + tables.bias[c],
                                                            tables.multiplier[c], tables.shift[c]);
    return static_cast<uint8_t>(
        clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
  });
}

}  // namespace opsmith::conv_2d::u8
