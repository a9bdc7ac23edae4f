// EmbeddingLookup of a table of int8 whose rows become float32, the definition
// (tensorflow/lite/kernels/embedding_lookup.cc).
#pragma once

#include <stdint.h>

#include "embedding_lookup.op.h"
#include "runtimes/families/movement.h"

namespace opsmith::embedding_lookup {

// Row by row. A product of int8 and a float is rounded once, as TFLite's in double is.
template <class P>
void reference(const P& p, const In<int8_t, int32_t, float>& in,
               const Out<int8_t, int32_t, float>& out, const Tables& tables) {
  float* y = out.y;
  for (int32_t i = 0; i < p.tuples; ++i) {
    const int32_t at = movement::index(in.indices, sizeof(int32_t), i, p.positions);
    const float scale = tables.scale[p.scales > 1 ? at : 0];
    const int8_t* x = in.x + at * p.row;
    for (int32_t j = 0; j < p.row; ++j) *y++ = static_cast<float>(x[j]) * scale;
  }
}

}  // namespace opsmith::embedding_lookup
