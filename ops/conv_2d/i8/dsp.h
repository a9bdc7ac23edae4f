// Needs the DSP extension. Fast because each pair of weights that is loaded serves four pixels and
// two output channels: eight sums stay in registers, SMLAD adds two products at once, and only one
// of the two channels' weights are unpacked.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_pixels.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
         const DspScratch& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const int32_t inputs = p.filter_height * p.filter_width * p.filter_channels;
  const int32_t size = (inputs + 3) & ~3;
  const int32_t pixels = p.output_height * p.output_width;
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t last = (pixels - 1) & ~(dsp::kPixels - 1);
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int8_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += dsp::kPixels) {
      const int32_t first = p.reversed ? last - j : j;
      const int32_t count = pixels - first < dsp::kPixels ? pixels - first : dsp::kPixels;
      dsp::spread_pixels(p, image, first, count, size, scratch.window, columns);
      int8_t* y = out.y + (b * pixels + first) * p.output_channels;
      int8_t* to = count == dsp::kPixels ? y : scratch.rest;
      const int32_t words = size / 2 * dsp::kPixels;
      const auto o = dsp::outputs_of(p, &P::left_shift);
      if (p.right_shift != 0) {
        const auto* t = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
        dsp::four_pixels(o, columns, words, weights, t, p.output_channels, to);
      } else {
        const auto* t = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
        dsp::four_pixels(o, columns, words, weights, t, p.output_channels, to);
      }
      if (count < dsp::kPixels) memcpy(y, to, static_cast<size_t>(count * p.output_channels));
    }
  }
}

}  // namespace opsmith::conv_2d::i8
