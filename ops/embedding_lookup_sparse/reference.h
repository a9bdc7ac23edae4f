// EmbeddingLookupSparse, the definition (tensorflow/lite/kernels/embedding_lookup_sparse.cc).
#pragma once

#include "embedding_lookup_sparse.op.h"
#include "runtimes/core/square_root.h"
#include "runtimes/families/movement.h"

namespace opsmith::embedding_lookup_sparse {

// Row of y that lookup i goes to.
template <class P>
int32_t place(const P& p, const int32_t* indices, int32_t i) {
  int32_t found = 0;
  for (int32_t axis = 0; axis < p.depth; ++axis) {
    const int32_t at = movement::index(indices, p.width, i * p.stride + axis, p.size[axis]);
    found = found * p.size[axis] + at;
  }
  return found;
}

// A place is divided when the lookup after it leads to another.
template <class P>
void reference(const P& p, const In& in, const Out& out) {
  for (int32_t i = 0; i < p.places * p.row; ++i) out.y[i] = 0.0f;
  float total = 0.0f, squares = 0.0f;
  for (int32_t i = 0; i < p.lookups; ++i) {
    const float weight = in.weights[i];
    const float* row = in.table + movement::index(in.ids, p.width, i, p.rows) * p.row;
    const int32_t to = place(p, in.indices, i);
    float* y = out.y + to * p.row;
    total += weight;
    squares += weight * weight;
    for (int32_t j = 0; j < p.row; ++j) y[j] += row[j] * weight;
    if (p.combiner == 0) continue;
    if (i + 1 < p.lookups && place(p, in.indices, i + 1) == to) continue;
    const float divisor = p.combiner == 1 ? total : square_root(squares);
    for (int32_t j = 0; j < p.row; ++j) y[j] /= divisor;
    total = squares = 0.0f;
  }
}

}  // namespace opsmith::embedding_lookup_sparse
