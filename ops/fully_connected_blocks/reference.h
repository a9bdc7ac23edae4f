// FullyConnectedBlocks, the definition. A weight becomes a float, is multiplied by the scale of its
// block, and then by x; products are rounded before they are added: -ffp-contract=off.
#pragma once

#include "fully_connected_blocks.op.h"
#include "runtimes/core/block_weights.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::fully_connected_blocks {

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  float* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    const uint8_t* weights = tables.weights;
    const float* scale = tables.scales;
    for (int32_t c = 0; c < p.channels; ++c, weights += p.depth * p.bits / 8) {
      const float* x = in.x + row * p.depth;
      float sum = 0;
      for (int32_t i = 0; i < p.depth; ++scale) {
        for (const int32_t end = i + p.block; i < end; ++i) {
          const float weight = static_cast<float>(packed_integer(weights, p.bits, i)) * *scale;
          sum += *x++ * weight;
        }
      }
      *y++ = real_clamp(sum + tables.bias[c], p.real_min, p.real_max);
    }
  }
}

}  // namespace opsmith::fully_connected_blocks
