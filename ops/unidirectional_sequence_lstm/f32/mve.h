// Needs Helium with floats. Fast because a vector of inputs serves four gates of cells, and the
// functions are computed four cells at a time.
#pragma once

#include "ops/unidirectional_sequence_lstm/f32/mve_step.h"
#include "runtimes/cmsis/mve_real_lanes.h"

namespace opsmith::unidirectional_sequence_lstm::f32 {

template <class P, class S>
void mve(const P& p, const In<float, float>& in, const Out<float, float>& out,
         const MveTables& tables, const S& scratch) {
  using namespace mve::real;
  Subnormals subnormals;
  over_steps(p, in, out, [&](const float* x, const float* h, float* cells, float* y) {
    const int32_t batch = static_cast<int32_t>(cells - in.cell_state) / p.cells;
    multiply_lanes(x, tables.weights, p.depth, p.cells, tables.bias, scratch.gates);
    multiply_lanes(h, tables.recurrent, p.cells, p.cells, scratch.gates, scratch.gates);
    if (step_by_vectors(p, batch, scratch.gates, cells, y)) return;
    step_again(p, batch, cells, y, [&](Gate which, int32_t i) {
      const int32_t row = which * p.cells + i;
      const float of_x = multiplied_row(x, tables.weights, p.depth, row) + tables.bias[row];
      return multiplied_row(h, tables.recurrent, p.cells, row) + of_x;
    });
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::f32
