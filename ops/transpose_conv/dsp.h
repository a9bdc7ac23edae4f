// Needs the DSP extension. Fast because each phase of the strides is a convolution, whose pixels
// take the inner loop of Conv2D, four at a time; then they are copied to where they are in y.
#pragma once

#include "runtimes/cmsis/dsp_pixels.h"
#include "transpose_conv.op.h"

namespace opsmith::transpose_conv {

// The pixels of a phase in an image of y.
template <class P, class C>
void phase_pixels(const P& p, const DspPhase& phase, const int8_t* image, const uint32_t* weights,
                  const C* constants, const DspScratch& scratch, int8_t* y) {
  const int32_t inputs = phase.filter_height * phase.filter_width * phase.input_channels;
  const int32_t size = (inputs + 3) & ~3, pixels = phase.output_height * phase.output_width;
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  int32_t row = phase.first_row, column = phase.first_column;
  for (int32_t first = 0; first < pixels; first += dsp::kPixels) {
    const int32_t left = pixels - first, count = left < dsp::kPixels ? left : dsp::kPixels;
    dsp::spread_pixels(phase, image, first, count, size, scratch.window, columns);
    dsp::four_pixels(dsp::outputs_of(p, &P::left_shift), columns, size / 2 * dsp::kPixels, weights,
                     constants, p.output_channels, scratch.pixels);
    for (int32_t i = 0; i < count; ++i) {
      memcpy(y + (row * p.output_width + column) * p.output_channels,
             scratch.pixels + i * p.output_channels, static_cast<size_t>(p.output_channels));
      column += p.stride_width;
      if (column >= p.output_width) column = phase.first_column, row += p.stride_height;
    }
  }
}

template <class P, class C>
void all_phases(const P& p, const int8_t* image, const DspTables& tables, const C* constants,
                const DspScratch& scratch, int8_t* y) {
  const int32_t pairs = (p.output_channels + 1) / 2;
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  for (int32_t i = 0; i < p.phases; ++i) {
    const DspPhase& phase = tables.phases[i];
    phase_pixels(p, phase, image, weights, constants, scratch, y);
    const int32_t inputs = phase.filter_height * phase.filter_width * phase.input_channels;
    weights += pairs * ((inputs + 3) / 4 * 2);
    constants += 2 * pairs;
  }
}

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const DspTables& tables,
         const DspScratch& scratch) {
  for (int32_t b = 0; b < p.batches; ++b) {
    const int8_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    int8_t* y = out.y + b * p.output_height * p.output_width * p.output_channels;
    if (p.right_shift != 0) {
      const auto* t = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
      all_phases(p, image, tables, t, scratch, y);
    } else {
      const auto* t = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
      all_phases(p, image, tables, t, scratch, y);
    }
  }
}

}  // namespace opsmith::transpose_conv
