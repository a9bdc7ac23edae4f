// Needs the DSP extension. Fast because each pair of weights that is loaded serves four pixels and
// two output channels, whose eight sums stay in registers.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_narrow_pixels.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i16x8 {

using dsp::halfwords::four_pixels;
using dsp::halfwords::kPixels;

template <class P>
void dsp(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Packed& tables,
         const DspScratch& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const int32_t words = p.filter_height * p.row * (kPixels / 2);
  const int32_t pixels = p.output_height * p.output_width;
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t last = (pixels - 1) & ~(kPixels - 1);
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int16_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += kPixels) {
      const int32_t first = p.reversed ? last - j : j;
      const int32_t count = pixels - first < kPixels ? pixels - first : kPixels;
      dsp::halfwords::spread_pixels(p, image, first, count, columns);
      int16_t* y = out.y + (b * pixels + first) * p.output_channels;
      int16_t* to = count == kPixels ? y : scratch.rest;
      if (p.wide) {
        const auto* t = reinterpret_cast<const Wide*>(tables.requantization);
        four_pixels(p, columns, words, weights, t, to);
      } else {
        const auto* t = reinterpret_cast<const Narrow*>(tables.requantization);
        four_pixels(p, columns, words, weights, t, to);
      }
      if (count < kPixels) memcpy(y, to, static_cast<size_t>(2 * count * p.output_channels));
    }
  }
}

}  // namespace opsmith::conv_2d::i16x8
