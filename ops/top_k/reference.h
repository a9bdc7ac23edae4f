// TopK, the definition (tensorflow/lite/kernels/topk_v2.cc).
#pragma once

#include "top_k.op.h"

namespace opsmith::top_k {

// Puts one element into its place among the `found` largest so far, of which at most k are kept.
// Elements come in order of index, so an equal one stays behind those that are there.
template <class T>
void insert(T value, int32_t index, int32_t found, int32_t k, T* values, int32_t* indices) {
  int32_t at = found < k ? found : k - 1;
  if (found >= k && !(value > values[at])) return;
  for (; at > 0 && value > values[at - 1]; --at) {
    values[at] = values[at - 1];
    indices[at] = indices[at - 1];
  }
  values[at] = value;
  indices[at] = index;
}

template <class P, class T>
void largest(const P& p, const In<T>& in, const Out<T>& out) {
  for (int32_t row = 0; row < p.rows; ++row) {
    const T* x = in.x + row * p.columns;
    for (int32_t i = 0; i < p.columns; ++i) {
      insert(x[i], i, i, p.k, out.values + row * p.k, out.indices + row * p.k);
    }
  }
}

template <class P>
void top_k_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  largest(p, in, out);
}

template <class P>
void top_k_i16_reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  largest(p, in, out);
}

template <class P>
void top_k_f32_reference(const P& p, const In<float>& in, const Out<float>& out) {
  largest(p, in, out);
}

}  // namespace opsmith::top_k
