// FullyConnected, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/fully_connected.h, the overloads that
// take scales). It requantises in double precision, as LiteRT does: cores without such a unit pay
// one conversion and one product in software for each output.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/rounding.h"

namespace opsmith::fully_connected {

template <class S>
int32_t dot_product(const S& s, const int8_t* x, const int8_t* weights) {
  int32_t sum = 0;
  for (int32_t i = 0; i < s.depth; ++i) {
    sum += (x[i] - s.input_zero_point) * (weights[i] - s.weights_zero_point);
  }
  return sum;
}

template <class S>
void fully_connected_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                  const Tables& tables) {
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < s.rows; ++row) {
    const int8_t* weights = tables.weights;
    for (int32_t c = 0; c < s.channels; ++c) {
      const int32_t sum = tables.bias[c] + dot_product(s, x, weights);
      const double scale = tables.scale[s.per_channel ? c : 0];
      const int32_t scaled = round_half_away(static_cast<double>(sum) * scale);
      *y++ = static_cast<int8_t>(
          clamp(scaled + s.output_zero_point, s.activation_min, s.activation_max));
      weights += s.depth;
    }
    x += s.depth;
  }
}

}  // namespace opsmith::fully_connected
