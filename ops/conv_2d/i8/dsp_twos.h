// Needs the DSP extension. Fast because each pair of inputs that is loaded serves four output
// channels, and all loads of a step are in a row: 15 cycles for 16 products, where dsp.h takes 16.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_two_pixels.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// Calls outputs(count, y) when the columns of up to four pixels are filled.
template <class P, class S, class Outputs>
__attribute__((always_inline)) inline void each_by_twos(const P& p, const In<int8_t>& in,
                                                        const Out<int8_t>& out, const S& scratch,
                                                        Outputs outputs) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t last = (pixels - 1) & ~(dsp::kPixels - 1);
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int8_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += dsp::kPixels) {
      const int32_t first = p.reversed ? last - j : j;
      const int32_t count = pixels - first < dsp::kPixels ? pixels - first : dsp::kPixels;
      dsp::spread_pixels(p, image, first, count, p.window, scratch.window, columns);
      outputs(count, out.y + (b * pixels + first) * p.output_channels);
    }
  }
}

template <class P, class S>
void dsp_twos(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
              const S& scratch) {
  const uint32_t* columns = reinterpret_cast<const uint32_t*>(scratch.columns);
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const int32_t words = p.window / 2 * dsp::kPixels, channels = p.output_channels;
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  each_by_twos(p, in, out, scratch, [&](int32_t count, int8_t* y) {
    if (p.right_shift != 0) {
      const auto* t = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
      dsp::each_two_pixels(o, columns, words, weights, t, channels, count, y);
    } else {
      const auto* t = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
      dsp::each_two_pixels(o, columns, words, weights, t, channels, count, y);
    }
  });
}

}  // namespace opsmith::conv_2d::i8
