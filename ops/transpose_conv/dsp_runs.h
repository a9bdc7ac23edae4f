// Needs the DSP extension. Fast because the inputs of a pixel under a filter are a run of
// neighbours; takes every node, whatever its weights, scales and windows.
#pragma once

#include "ops/transpose_conv/reference.h"
#include "runtimes/cmsis/dsp_runs.h"

namespace opsmith::transpose_conv {

template <class P, class T, class Tables>
void outputs_of_runs(const P& p, const T* x, T* y, const Tables& tables, int32_t filter_zero) {
  const int32_t image_size = p.input_height * p.input_width * p.input_channels;
  const int32_t size = p.output_height * p.output_width * p.output_channels;
  const auto output = [&](int32_t down, int32_t right, const T* filter, int32_t c) {
    dsp::Runs<1, T> runs({p.input_zero_point, filter_zero}, 0);
    for_each_covering(p, x, filter, down, right, [&](const T* pixel, const T* weights) {
      runs.add(pixel, weights, p.input_channels);
    });
    const int32_t scaled = requantized(runs.a() + tables.bias[c], tables, c);
    return static_cast<T>(clamp(scaled + p.output_zero_point, p.activation_min, p.activation_max));
  };
  for (int32_t b = 0; b < p.batches; ++b, x += image_size, y += size) {
    for_each_element(p, tables.filter, y, output);
  }
}

template <class P>
void dsp_runs(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const I8Tables& tables) {
  outputs_of_runs(p, in.x, out.y, tables, 0);
}

template <class P>
void dsp_runs(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const U8Tables& tables) {
  outputs_of_runs(p, in.x, out.y, tables, p.filter_zero_point);
}

}  // namespace opsmith::transpose_conv
