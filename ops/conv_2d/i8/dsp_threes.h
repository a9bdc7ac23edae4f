// Needs the DSP extension. Fast as dsp.h is, and because no group of pixels is computed that is not
// full: for images of which groups of four leave a rest, which groups of three take up.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_three_pixels.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// All channels of three or four pixels whose columns are filled.
template <class P, class W, class C>
__attribute__((always_inline)) inline void three_or_four(const P& p, int32_t count,
                                                         const uint32_t* columns, W weights,
                                                         const C* constants, int8_t* y) {
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  const int32_t words = p.window / 2 * dsp::kPixels;
  if (count == dsp::kPixels) {
    dsp::four_pixels(o, columns, words, weights, constants, p.output_channels, y);
  } else {
    dsp::three_pixels(o, columns, words, weights, constants, p.output_channels, y);
  }
}

// Calls outputs(count, y) when the columns of three or four pixels are filled.
template <class P, class S, class Outputs>
__attribute__((always_inline)) inline void each_three_or_four(const P& p, const In<int8_t>& in,
                                                              const Out<int8_t>& out,
                                                              const S& scratch, Outputs outputs) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t in_threes = 3 * (-pixels & (dsp::kPixels - 1));  // the last pixels
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int8_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t done = 0, count; done < pixels; done += count) {
      const bool three = p.reversed ? done < in_threes : pixels - done <= in_threes;
      count = three ? 3 : dsp::kPixels;
      const int32_t first = p.reversed ? pixels - done - count : done;
      dsp::spread_pixels(p, image, first, count, p.window, scratch.window, columns);
      int8_t* y = out.y + (b * pixels + first) * p.output_channels;
      outputs(count, y);
    }
  }
}

template <class P, class S>
void dsp_threes(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                const S& scratch) {
  const auto weights = dsp::weights_of(p, tables.filter);
  const uint32_t* columns = reinterpret_cast<const uint32_t*>(scratch.columns);
  each_three_or_four(p, in, out, scratch, [&](int32_t count, int8_t* y) {
    if (p.right_shift != 0) {
      const auto* t = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
      three_or_four(p, count, columns, weights, t, y);
    } else {
      const auto* t = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
      three_or_four(p, count, columns, weights, t, y);
    }
  });
}

}  // namespace opsmith::conv_2d::i8
