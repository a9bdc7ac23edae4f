// Needs the DSP extension and an FPU. Fast as dsp.h of int8 is: each pair of weights that is loaded
// serves four pixels and two channels.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/f32x8/quantised.h"
#include "runtimes/cmsis/dsp_real_pixels.h"

namespace opsmith::conv_2d::f32x8 {

// Calls outputs(quantised, o, first, count, y) for up to four pixels at a time, which go to y;
// their channels are `pitch` bytes apart, as they are in y.
template <class P, class S, class Outputs>
void each_four_pixels(const P& p, const In<float>& in, const Out<float>& out, const S& scratch,
                      Outputs outputs) {
  const int32_t pixels = p.output_height * p.output_width, channels = p.output_channels;
  float* y = out.y;
  each_image(p, in.x, scratch.image, [&](const auto& quantised, const dsp::RealOutputs& o) {
    for (int32_t first = 0; first < pixels; first += dsp::kPixels) {
      const int32_t left = pixels - first, count = left < dsp::kPixels ? left : dsp::kPixels;
      const size_t written = static_cast<size_t>(count * channels);
      float* group = count == dsp::kPixels ? y : scratch.rest;
      outputs(quantised, o, first, count, group);
      if (group != y) memcpy(y, group, written * sizeof(float));
      y += written;
    }
  });
}

template <class P, class S>
void dsp(const P& p, const In<float>& in, const Out<float>& out, const Packed& tables,
         const S& scratch) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const auto* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const auto* constants = reinterpret_cast<const dsp::RealChannel*>(tables.requantization);
  const int32_t channels = p.output_channels, words = p.window / 2 * dsp::kPixels;
  each_four_pixels(p, in, out, scratch,
                   [&](const auto& quantised, const dsp::RealOutputs& o, int32_t first,
                       int32_t count, float* y) {
                     dsp::spread_pixels(quantised, scratch.image, first, count, p.window,
                                        scratch.window, columns);
                     dsp::four_real_pixels(o, columns, words, weights, constants, channels,
                                           channels, y);
                   });
}

}  // namespace opsmith::conv_2d::f32x8
