// Needs Helium with floats. Fast as mve_dynamic_rows.h is.
#pragma once

#include "fully_connected.op.h"
#include "ops/fully_connected/f32x8/biases.h"
#include "runtimes/cmsis/mve_dynamic_rows.h"

namespace opsmith::fully_connected::f32x8 {

template <class P, class S>
void mve(const P& p, const In<float>& in, const Out<float>& out, const MveTables& tables,
         const S& scratch) {
  const auto* constants = reinterpret_cast<const mve::RealFour*>(tables.constants);
  const auto bias = [&](int32_t c) { return constants[c / 4].bias[c % 4]; };
  if (only_biases(p, in.x, bias, out.y)) return;
  mve::RealBounds bounds;
  memcpy(&bounds, tables.bounds, sizeof bounds);
  for (int32_t row = 0; row < p.rows; ++row) {
    const DynamicRange range = mve::quantized_by_range(in.x + row * p.depth, p.depth,
                                                       p.asymmetric_quantize_inputs, scratch.row);
    mve::row_of_reals(bounds, range, scratch.row, {p.tail, p.full_steps}, tables.weights, constants,
                      p.channels, out.y + row * p.channels,
                      [&](float real) { return activated(p.activation, real); });
  }
}

}  // namespace opsmith::fully_connected::f32x8
