// Needs Helium with floats. Fast as mve_dynamic_rows.h is, over the rows of all gates, whose
// functions are computed four cells at a time.
#pragma once

#include "ops/unidirectional_sequence_lstm/f32/mve_step.h"
#include "runtimes/cmsis/mve_dynamic_rows.h"

namespace opsmith::unidirectional_sequence_lstm::f32x8 {

template <class P, class S>
void mve(const P& p, const In<float, float>& in, const Out<float, float>& out,
         const MveTables& tables, const S& scratch) {
  mve::real::Subnormals subnormals;
  const auto sums = [&](const float* row, int32_t size, const mve::Steps& steps,
                        const int8_t* weights, const int32_t* constants, const float* limits,
                        float* to) {
    const DynamicRange range =
        mve::quantized_by_range(row, size, p.asymmetric_quantize_inputs, scratch.row);
    mve::RealBounds bounds;
    memcpy(&bounds, limits, sizeof bounds);
    mve::row_of_reals(bounds, range, scratch.row, steps, weights,
                      reinterpret_cast<const mve::RealFour*>(constants), 4 * p.cells, to,
                      [](float x) { return x; });
  };
  over_steps(p, in, out, [&](const float* x, const float* h, float* cells, float* y) {
    const int32_t batch = static_cast<int32_t>(cells - in.cell_state) / p.cells;
    const auto multiply = [&] {
      sums(x, p.depth, {p.x_tail, p.x_steps}, tables.weights, tables.constants, tables.bounds,
           scratch.of_x);
      sums(h, p.cells, {p.h_tail, p.h_steps}, tables.recurrent, tables.recurrent_constants,
           tables.recurrent_bounds, scratch.of_h);
    };
    multiply();
    const float* of_h = scratch.of_h;
    mve::real::replace(scratch.of_x, 4 * p.cells, [&](mve::real::Reals x) {
      const auto gates = x + mve::real::Reals::first(of_h, 4);
      of_h += 4;
      return gates;
    });
    if (f32::step_by_vectors(p, batch, scratch.of_x, cells, y)) return;
    multiply();
    f32::step_again(p, batch, cells, y, [&](Gate which, int32_t i) {
      return scratch.of_x[which * p.cells + i] + scratch.of_h[which * p.cells + i];
    });
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::f32x8
