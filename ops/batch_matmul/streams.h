// Which operand is the stream that blocks of the other meet.
#pragma once

#include "batch_matmul.op.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::batch_matmul {

// Calls matrix(block, stream, y) for each matrix of y.
template <class P, class T, class F>
void for_each_matrix(const P& p, const In<T, T, T>& in, const Out<T, T, T>& out, const F& matrix) {
  for_each_row(p, in.a, in.b, out.y, [&](const T* a, const T* b, T* y) {
    if (p.streams_b) {
      matrix(a, b, y);
    } else {
      matrix(b, a, y);
    }
  });
}
template <class P, class F>
void for_each_matrix(const P& p, const In<int16_t, int8_t, int16_t>& in,
                     const Out<int16_t, int8_t, int16_t>& out, const F& matrix) {
  for_each_row(p, in.a, in.b, out.y,
               [&](const int16_t* a, const int8_t* b, int16_t* y) { matrix(b, a, y); });
}

}  // namespace opsmith::batch_matmul
