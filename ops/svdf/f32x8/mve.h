// Needs Helium with floats. Fast as mve_dynamic_rows.h is, over the features of all filters.
#pragma once

#include "ops/svdf/f32x8/reference.h"
#include "runtimes/cmsis/mve_dynamic_rows.h"

namespace opsmith::svdf::f32x8 {

template <class P, class S>
void mve(const P& p, const In<float, float>& in, const Out<float, float>& out,
         const MveTables& tables, const S& scratch) {
  const auto* constants = reinterpret_cast<const mve::RealFour*>(tables.constants);
  const int32_t filters = p.units * p.rank;
  mve::RealBounds bounds;
  memcpy(&bounds, tables.bounds, sizeof bounds);
  for (int32_t b = 0; b < p.batches; ++b) {
    const DynamicRange range = mve::quantized_by_range(in.x + b * p.depth, p.depth,
                                                       p.asymmetric_quantize_inputs, scratch.row);
    mve::row_of_reals(bounds, range, scratch.row, {p.tail, p.full_steps}, tables.features,
                      constants, filters, scratch.latest, [](float x) { return x; });
    units_over_time(p, tables.time, tables.bias, in.state + b * filters * p.memory,
                    out.y + b * p.units, [&](int32_t i) { return scratch.latest[i]; });
  }
}

}  // namespace opsmith::svdf::f32x8
