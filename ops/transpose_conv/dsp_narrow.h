// Needs the DSP extension. Fast because each phase of the strides is a convolution, whose pixels
// take the inner loop of Conv2D, four at a time; then they are copied to where they are in y.
#pragma once

#include "runtimes/cmsis/dsp_narrow_pixels.h"
#include "transpose_conv.op.h"

namespace opsmith::transpose_conv {

// The pixels of a phase in an image of y.
template <class P>
void phase_pixels(const P& p, const NarrowPhase& phase, const int16_t* image,
                  const NarrowTables& tables, const DspNarrowScratch& scratch, int16_t* y) {
  using dsp::halfwords::kPixels;
  const int32_t words = phase.filter_height * phase.row * (kPixels / 2);
  const int32_t pixels = phase.output_height * phase.output_width, channels = p.output_channels;
  const auto* weights = reinterpret_cast<const uint32_t*>(tables.filter + phase.weights);
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  int32_t row = phase.first_row, column = phase.first_column;
  for (int32_t first = 0; first < pixels; first += kPixels) {
    const int32_t count = min(pixels - first, kPixels);
    dsp::halfwords::spread_pixels(phase, image, first, count, columns);
    if (p.wide) {
      const auto* constants = reinterpret_cast<const Wide*>(tables.requantization);
      dsp::halfwords::four_pixels(p, columns, words, weights, constants, scratch.pixels);
    } else {
      const auto* constants = reinterpret_cast<const Narrow*>(tables.requantization);
      dsp::halfwords::four_pixels(p, columns, words, weights, constants, scratch.pixels);
    }
    for (int32_t i = 0; i < count; ++i) {
      memcpy(y + (row * p.output_width + column) * channels, scratch.pixels + i * channels,
             static_cast<size_t>(2 * channels));
      column += p.stride_width;
      if (column >= p.output_width) column = phase.first_column, row += p.stride_height;
    }
  }
}

template <class P>
void dsp_narrow(const P& p, const In<int16_t>& in, const Out<int16_t>& out,
                const NarrowTables& tables, const DspNarrowScratch& scratch) {
  for (int32_t b = 0; b < p.batches; ++b) {
    const int16_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    int16_t* y = out.y + b * p.output_height * p.output_width * p.output_channels;
    for (int32_t i = 0; i < p.phases; ++i) {
      phase_pixels(p, tables.phases[i], image, tables, scratch, y);
    }
  }
}

}  // namespace opsmith::transpose_conv
