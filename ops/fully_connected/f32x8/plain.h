// Needs Thumb, or RV32M. Fast as plain.h of int8 is: a quantised input that is loaded serves four
// output channels.
#pragma once

#include "ops/fully_connected/f32x8/biases.h"
#include "ops/fully_connected/i8/plain.h"
#include "runtimes/core/soft_dynamic_range.h"

namespace opsmith::fully_connected::f32x8 {

template <class P, class S>
void plain(const P& p, const In<float>& in, const Out<float>& out, const PackedMatrix& tables,
           const S& scratch) {
  constexpr int32_t kChannels = i8::kChannels;
  const auto* constants = reinterpret_cast<const soft::RealChannel*>(tables.requantization);
  if (only_biases(p, in.x, [&](int32_t c) { return constants[c].bias; }, out.y)) return;
  float* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const DynamicRange range = soft::quantized_by_range(in.x + row * p.depth, p.depth,
                                                        p.asymmetric_quantize_inputs, scratch.row);
    const int8_t* weights = tables.weights;
    for (int32_t c = 0; c < p.channels; c += kChannels, weights += kChannels * p.depth) {
      int32_t sums[kChannels];
      i8::multiply(scratch.row, p.depth, weights, sums);
      for (int32_t i = 0; i < min(p.channels - c, kChannels); ++i) {
        const soft::RealChannel& channel = constants[c + i];
        const auto real = static_cast<float>(sums[i] - range.zero_point * channel.weights);
        *y++ = activated(p.activation, real * (range.scale * channel.scale) + channel.bias);
      }
    }
  }
}

}  // namespace opsmith::fully_connected::f32x8
