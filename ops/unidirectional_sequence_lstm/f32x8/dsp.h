// Needs the DSP extension and an FPU. Fast because each four inputs that are loaded serve eight
// rows of gates, as in dsp.h of fully_connected.
#pragma once

#include "ops/unidirectional_sequence_lstm/f32/reference.h"
#include "runtimes/cmsis/dsp_real_rows.h"
#include "runtimes/cmsis/fpu_dynamic_range.h"

namespace opsmith::unidirectional_sequence_lstm::f32x8 {

template <class P, class S>
void dsp(const P& p, const In<float, float>& in, const Out<float, float>& out,
         const DspTables& tables, const S& scratch) {
  const auto sums = [&](const float* row, int32_t size, int32_t padded, int32_t part,
                        const int8_t* weights, const int32_t* constants, float* to) {
    const DynamicRange range =
        fpu::quantized_by_range(row, size, p.asymmetric_quantize_inputs, scratch.row);
    const dsp::RealOutputs o = {range.scale, 1, range.zero_point, dsp::kNoClamp, 0, 0};
    dsp::row_of_reals(o, scratch.row, padded, part, weights,
                      reinterpret_cast<const dsp::RealRow*>(constants), 4 * p.cells,
                      scratch.products, to, dsp::AsItIs{});
  };
  over_steps(p, in, out, [&](const float* x, const float* h, float* cells, float* y) {
    const int32_t batch = static_cast<int32_t>(cells - in.cell_state) / p.cells;
    sums(x, p.depth, p.padded_depth, p.x_part, tables.weights, tables.constants, scratch.of_x);
    sums(h, p.cells, p.padded_cells, p.h_part, tables.recurrent, tables.recurrent_constants,
         scratch.of_h);
    f32::step(p, batch, cells, y, [&](Gate which, int32_t i) {
      return scratch.of_x[which * p.cells + i] + scratch.of_h[which * p.cells + i];
    });
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::f32x8
