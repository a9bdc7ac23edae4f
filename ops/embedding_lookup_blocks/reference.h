// EmbeddingLookupBlocks, the definition (EvalBlockwise in
// tensorflow/lite/kernels/embedding_lookup.cc).
#pragma once

#include "embedding_lookup_blocks.op.h"
#include "runtimes/core/block_weights.h"
#include "runtimes/families/movement.h"

namespace opsmith::embedding_lookup_blocks {

template <class P>
void reference(const P& p, const In<int32_t>& in, const Out<int32_t>& out, const Tables& tables) {
  const int32_t row = p.blocks * p.block;
  float* y = out.y;
  for (int32_t i = 0; i < p.tuples; ++i) {
    const int32_t at = movement::index(in.indices, sizeof(int32_t), i, p.positions);
    const uint8_t* x = tables.x + at * (row * p.bits / 8);
    for (int32_t j = 0; j < row; ++j) {
      const float scale = tables.scales[at * p.blocks + j / p.block];
      *y++ = static_cast<float>(packed_integer(x, p.bits, j)) * scale;
    }
  }
}

}  // namespace opsmith::embedding_lookup_blocks
