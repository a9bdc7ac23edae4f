// TopK, the definition (tensorflow/lite/kernels/topk_v2.cc).
#pragma once

#include "top_k.op.h"

namespace opsmith::top_k {

// Whether a is larger than b. NaN is less than all numbers.
template <class T>
bool larger(T a, T b) {
  return a > b || (b != b && a == a);
}

// Puts one element into its place among the `found` largest so far, of which at most k are kept.
// Elements come in order of index, so an equal one stays after those that are there.
template <class T>
void insert(T value, int32_t index, int32_t found, int32_t k, T* values, int32_t* indices) {
  int32_t at = found < k ? found : k - 1;
  if (found >= k && !larger(value, values[at])) return;
  for (; at > 0 && larger(value, values[at - 1]); --at) {
    values[at] = values[at - 1];
    indices[at] = indices[at - 1];
  }
  values[at] = value;
  indices[at] = index;
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for (int32_t row = 0; row < p.rows; ++row) {
    const T* x = in.x + row * p.depth;
    for (int32_t i = 0; i < p.depth; ++i) {
      insert(x[i], i, i, p.k, out.values + row * p.k, out.indices + row * p.k);
    }
  }
}

}  // namespace opsmith::top_k
