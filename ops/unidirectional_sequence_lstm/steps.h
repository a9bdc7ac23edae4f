// The steps of an LSTM over a sequence, for all element types. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "unidirectional_sequence_lstm.op.h"

namespace opsmith::unidirectional_sequence_lstm {

// Gates, as their constants are stacked.
enum Gate { kInput, kForget, kCell, kOutput };

template <class T>
void copy_elements(T* to, const T* from, int32_t count) {
  for (int32_t i = 0; i < count; ++i) to[i] = from[i];
}

// Calls step(x, previous output, cells, y) for each batch and, in order, each of its steps.
template <class P, class T, class C, class Step>
__attribute__((always_inline)) inline void over_steps(const P& p, const In<T, C>& in,
                                                      const Out<T, C>& out, Step step,
                                                      void (*keep)(T*, const T*,
                                                                   int32_t) = copy_elements<T>) {
  for (int32_t batch = 0; batch < p.batches; ++batch) {
    T* state = in.output_state + batch * p.cells;
    const T* h = state;
    C* cells = in.cell_state + batch * p.cells;
    for (int32_t t = 0; t < p.steps; ++t) {
      const int32_t row = p.time_major ? t * p.batches + batch : batch * p.steps + t;
      T* y = out.y + row * p.cells;
      step(in.x + row * p.depth, h, cells, y);
      h = y;
    }
    keep(state, h, p.cells);
  }
}

}  // namespace opsmith::unidirectional_sequence_lstm
