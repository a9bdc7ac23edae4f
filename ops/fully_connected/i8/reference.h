// FullyConnected of int8, the definition
// (tensorflow/lite/kernels/internal/reference/integer_ops/fully_connected.h, the overloads that
// take scales). It requantises in double precision, as LiteRT does: cores without such a unit pay
// one conversion and one product in software for each output.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/core/channel_outputs.h"

namespace opsmith::fully_connected::i8 {

template <class P>
int32_t dot_product(const P& p, const int8_t* x, const int8_t* weights) {
  int32_t sum = 0;
  for (int32_t i = 0; i < p.depth; ++i) {
    sum += (x[i] - p.input_zero_point) * (weights[i] - p.weights_zero_point);
  }
  return sum;
}

// All outputs; output(c, sum) is that of a channel.
template <class P, class F>
void outputs(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const int8_t* all,
             F output) {
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const int8_t* weights = all;
    for (int32_t c = 0; c < p.channels; ++c) {
      *y++ = output(c, dot_product(p, x, weights));
      weights += p.depth;
    }
    x += p.depth;
  }
}

// Outputs of sums in double precision, by the biases and scales of tables.
template <class P, class T>
auto scaled_outputs(const P& p, const T& tables) {
  return [&](int32_t c, int32_t sum) {
    const double scale = tables.scale[p.per_channel ? c : 0];
    const int32_t scaled = round_half_away(static_cast<double>(sum + tables.bias[c]) * scale);
    return static_cast<int8_t>(
        clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
  };
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  outputs(p, in, out, tables.weights, scaled_outputs(p, tables));
}

}  // namespace opsmith::fully_connected::i8
