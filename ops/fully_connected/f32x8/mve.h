// Needs Helium with floats. Fast as mve.h of int8 is: each vector of inputs that is loaded serves
// four channels, whose sums become floats together.
#pragma once

#include "fully_connected.op.h"
#include "ops/fully_connected/f32x8/biases.h"
#include "runtimes/cmsis/mve_dynamic_range.h"
#include "runtimes/cmsis/mve_rows.h"

namespace opsmith::fully_connected::f32x8 {

// One row, from its quantised inputs.
template <class P, class Tables>
inline void outputs_of_row(const P& p, const DynamicRange& range, const Tables& tables,
                           const int8_t* x, float* y) {
  mve::RealBounds bounds;
  memcpy(&bounds, tables.bounds, sizeof bounds);
  const auto* constants = reinterpret_cast<const mve::RealFour*>(tables.constants);
  const bool normal = mve::is_normal(bounds, range);
  const int8_t* weights = tables.weights;
  for (int32_t c = 0; c < p.channels; c += 4) {
    int32x4_t sums;
    weights = mve::dot_products(x, weights, p.tail, p.full_steps, sums);
    if (normal) sums = mve::reals_of_four(bounds, range, constants[c / 4], sums);
    vstrwq_p_s32(reinterpret_cast<int32_t*>(y + c), sums,
                 vctp32q(static_cast<uint32_t>(p.channels - c)));
  }
  if (normal) return;
  mve::slow_reals<false>(range, constants, 1, p.channels, y,
                         [&](float real) { return activated(p.activation, real); });
}

template <class P, class S>
void mve(const P& p, const In<float>& in, const Out<float>& out, const MveTables& tables,
         const S& scratch) {
  const auto* constants = reinterpret_cast<const mve::RealFour*>(tables.constants);
  const auto bias = [&](int32_t c) { return constants[c / 4].bias[c % 4]; };
  if (only_biases(p, in.x, bias, out.y)) return;
  for (int32_t row = 0; row < p.rows; ++row) {
    const DynamicRange range = mve::quantized_by_range(in.x + row * p.depth, p.depth,
                                                       p.asymmetric_quantize_inputs, scratch.row);
    outputs_of_row(p, range, tables, scratch.row, out.y + row * p.channels);
  }
}

}  // namespace opsmith::fully_connected::f32x8
