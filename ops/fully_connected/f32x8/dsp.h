// Needs the DSP extension and an FPU. Fast because each four inputs that are loaded serve eight
// output channels, as in dsp.h of int8.
#pragma once

#include "fully_connected.op.h"
#include "ops/fully_connected/f32x8/biases.h"
#include "runtimes/cmsis/dsp_real_rows.h"
#include "runtimes/cmsis/fpu_dynamic_range.h"

namespace opsmith::fully_connected::f32x8 {

// Bounds of enum VectorActivation; NaN becomes the lower one.
struct Bounded {
  float low, high;

  explicit Bounded(int32_t activation)
      : low(activation == kReluN1To1 ? -1.0f : 0.0f),
        high(activation == kRelu    ? __builtin_inff()
             : activation == kRelu6 ? 6.0f
                                    : 1.0f) {}

  float operator()(float x) const {
    const float above = x > low ? x : low;
    return above < high ? above : high;
  }
};

template <class P, class S>
void dsp(const P& p, const In<float>& in, const Out<float>& out, const PackedMatrix& tables,
         const S& scratch) {
  const auto* constants = reinterpret_cast<const dsp::RealRow*>(tables.requantization);
  if (only_biases(p, in.x, [&](int32_t c) { return constants[c].bias; }, out.y)) return;
  const Bounded bounded(p.activation);
  for (int32_t row = 0; row < p.rows; ++row) {
    const DynamicRange range = fpu::quantized_by_range(in.x + row * p.depth, p.depth,
                                                       p.asymmetric_quantize_inputs, scratch.row);
    const dsp::RealOutputs o = {range.scale, 1, range.zero_point, dsp::kNoClamp, 0, 0};
    const auto put = [&](auto activation) {
      dsp::row_of_reals(o, scratch.row, p.padded_depth, p.part, tables.weights, constants,
                        p.channels, scratch.products, out.y + row * p.channels, activation);
    };
    if (p.activation == kNone) {
      put(dsp::AsItIs{});
    } else {
      put(bounded);
    }
  }
}

}  // namespace opsmith::fully_connected::f32x8
