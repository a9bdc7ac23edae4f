// Needs vectors. Fast because each phase of the strides is a convolution by the rows of
// runtimes/simd, whose pixels are then copied to where they are in y.
#pragma once

#include <string.h>

#include "runtimes/simd/reals.h"
#include "runtimes/simd/rows.h"
#include "runtimes/simd/windows.h"
#include "transpose_conv.op.h"

namespace opsmith::transpose_conv {

// The pixels of a phase.
template <class V, class P, class Phase, class T, class C, class S>
void simd_phase(const P& p, const Phase& phase, const T* x, T zero, const C& channels,
                const S& scratch, T* y) {
  int32_t row = phase.first_row, column = phase.first_column;
  const auto put = [&](int32_t count) {
    opsmith::simd::multiply<V>(channels, scratch.rows, count, scratch.pixels);
    for (int32_t i = 0; i < count; ++i) {
      memcpy(y + (row * p.output_width + column) * p.output_channels,
             scratch.pixels + i * p.output_channels,
             sizeof(T) * static_cast<size_t>(p.output_channels));
      column += p.stride_width;
      if (column < p.output_width) continue;
      column = phase.first_column, row += p.stride_height;
      if (row < p.output_height) continue;
      row = phase.first_row, y += p.output_height * p.output_width * p.output_channels;
    }
  };
  opsmith::simd::gather_windows<V>(phase, x, zero, channels.groups * V::kGroup, scratch.rows, put);
}

// All phases. channels_of(phase, weights, lane) has those of one, whose constants begin at a lane.
template <class V, class P, class Tables, class T, class S, class F>
void simd_phases(const P& p, const Tables& tables, const T* x, T zero, const S& scratch, T* y,
                 F channels_of) {
  const int32_t lanes = (p.output_channels + V::kLanes - 1) / V::kLanes * V::kLanes;
  const auto* weights = tables.weights;
  for (int32_t i = 0; i < p.phases; ++i) {
    const auto& phase = tables.phases[i];
    simd_phase<V>(p, phase, x, zero, channels_of(phase, weights, i * lanes), scratch, y);
    weights += phase.groups * V::kGroup * lanes;
  }
}

template <class V, class P, class T, class S>
void simd_bytes(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const T& tables,
                const S& scratch) {
  const auto channels_of = [&](const auto& phase, const int8_t* weights, int32_t lane) {
    const opsmith::simd::Outputs outputs = {phase.rule, p.output_zero_point, p.activation_min,
                                            p.activation_max};
    return opsmith::simd::Channels{p.output_channels, phase.groups, weights,
                                   tables.constants + lane * opsmith::simd::kConstants, outputs};
  };
  const int8_t zero = static_cast<int8_t>(p.input_zero_point);
  simd_phases<V>(p, tables, in.x, zero, scratch, out.y, channels_of);
}

template <class V, class P, class T, class S>
void simd_reals(const P& p, const In<float>& in, const Out<float>& out, const T& tables,
                const S& scratch) {
  const auto channels_of = [&](const auto& phase, const float* weights, int32_t lane) {
    return opsmith::simd::RealChannels{p.output_channels,
                                       phase.groups,
                                       weights,
                                       tables.bias + lane,
                                       static_cast<float>(p.real_min),
                                       static_cast<float>(p.real_max)};
  };
  simd_phases<opsmith::simd::Reals<V>>(p, tables, in.x, 0.0f, scratch, out.y, channels_of);
}

}  // namespace opsmith::transpose_conv
