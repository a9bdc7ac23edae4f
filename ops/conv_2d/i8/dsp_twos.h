// Needs the DSP extension. Fast because each pair of inputs that is loaded serves four output
// channels, and all loads of a step are in a row: 15 cycles for 16 products, where dsp.h takes 16.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_two_pixels.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// outputs(o, columns, count, y) computes up to four pixels whose columns are filled.
template <class P, class S, class Outputs>
__attribute__((always_inline)) inline void each_by_twos(const P& p, const In<int8_t>& in,
                                                        const Out<int8_t>& out, const S& scratch,
                                                        Outputs outputs) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t pixels = p.output_height * p.output_width, channels = p.output_channels;
  const int32_t last = (pixels - 1) & ~(dsp::kPixels - 1);
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int8_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += dsp::kPixels) {
      const int32_t first = p.reversed ? last - j : j;
      const int32_t count = pixels - first < dsp::kPixels ? pixels - first : dsp::kPixels;
      dsp::spread_pixels(p, image, first, count, p.window, scratch.window, columns);
      outputs(o, columns, count, out.y + (b * pixels + first) * channels);
    }
  }
}

// A layer for functions of two pixels.
template <class P>
dsp::TwoPixels two_pixels_of(const P& p, const Packed& tables) {
  return {reinterpret_cast<const uint32_t*>(tables.filter), tables.requantization,
          p.window / 2 * dsp::kPixels, p.output_channels};
}

// Outputs by constants of either type. A lambda costs .1 % of VWW: gcc keeps less in registers.
template <class P>
struct TwosOutputs {
  const P& p;
  dsp::TwoPixels layer;

  template <class O>
  __attribute__((always_inline)) void operator()(const O& o, const uint32_t* columns, int32_t count,
                                                 int8_t* y) const {
    if (p.right_shift != 0) {
      dsp::each_two_pixels<true>(o, layer, columns, count, y);
    } else {
      dsp::each_two_pixels<false>(o, layer, columns, count, y);
    }
  }
};

template <class P, class S>
void dsp_twos(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
              const S& scratch) {
  each_by_twos(p, in, out, scratch, TwosOutputs<P>{p, two_pixels_of(p, tables)});
}

}  // namespace opsmith::conv_2d::i8
