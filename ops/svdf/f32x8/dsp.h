// Needs the DSP extension and an FPU. Fast because each four inputs that are loaded serve the
// features of eight filters, as in dsp.h of fully_connected.
#pragma once

#include "ops/svdf/f32x8/reference.h"
#include "runtimes/cmsis/dsp_real_rows.h"
#include "runtimes/cmsis/fpu_dynamic_range.h"

namespace opsmith::svdf::f32x8 {

template <class P, class S>
void dsp(const P& p, const In<float, float>& in, const Out<float, float>& out,
         const DspTables& tables, const S& scratch) {
  const auto* constants = reinterpret_cast<const dsp::RealRow*>(tables.constants);
  const int32_t filters = p.units * p.rank;
  for (int32_t b = 0; b < p.batches; ++b) {
    const DynamicRange range = fpu::quantized_by_range(in.x + b * p.depth, p.depth,
                                                       p.asymmetric_quantize_inputs, scratch.row);
    const dsp::RealOutputs o = {range.scale, 1, range.zero_point, dsp::kNoClamp, 0, 0};
    dsp::row_of_reals(o, scratch.row, p.padded_depth, p.part, tables.features, constants, filters,
                      scratch.products, scratch.latest, dsp::AsItIs{});
    units_over_time(p, tables.time, tables.bias, in.state + b * filters * p.memory,
                    out.y + b * p.units, [&](int32_t i) { return scratch.latest[i]; });
  }
}

}  // namespace opsmith::svdf::f32x8
