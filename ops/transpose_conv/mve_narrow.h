// Needs Helium. Fast because each phase of the strides is a convolution, whose pixels take the
// inner loop of Conv2D, two at a time, and are written to where they are in y.
#pragma once

#include "runtimes/cmsis/mve_narrow_pixels.h"
#include "transpose_conv.op.h"

namespace opsmith::transpose_conv {

// Where a pixel of a phase is in an image of y.
template <class P>
int32_t place_in_y(const P& p, const NarrowPhase& phase, int32_t row, int32_t column) {
  const int32_t y = phase.first_row + row * p.stride_height;
  return (y * p.output_width + phase.first_column + column * p.stride_width) * p.output_channels;
}

// The pixels of a phase in an image of y.
template <class P>
void phase_pixels(const P& p, const NarrowPhase& phase, const int16_t* image,
                  const NarrowTables& tables, const MveNarrowScratch& scratch, int16_t* y) {
  const int32_t inputs = phase.filter_height * phase.row;
  const int32_t pixels = phase.output_height * phase.output_width;
  int32_t row = 0, column = 0;
  for (int32_t first = 0; first < pixels; first += 2) {
    int32_t places[2];
    for (int32_t k = 0; k < 2; ++k) {  // a last one alone is computed and written twice
      mve::copy_window(phase, image, row - phase.padding_top, column - phase.padding_left,
                       scratch.windows + k * inputs);
      places[k] = place_in_y(p, phase, row, column);
      if (first + k + 1 == pixels) continue;
      if (++column == phase.output_width) column = 0, ++row;
    }
    mve::two_pixels(scratch.windows, scratch.windows + inputs, inputs,
                    tables.filter + phase.weights, tables.requantization, p.output_channels,
                    p.activation_min, p.activation_max, y + places[0], places[1] - places[0]);
  }
}

template <class P>
void mve_narrow(const P& p, const In<int16_t>& in, const Out<int16_t>& out,
                const NarrowTables& tables, const MveNarrowScratch& scratch) {
  for (int32_t b = 0; b < p.batches; ++b) {
    const int16_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    int16_t* y = out.y + b * p.output_height * p.output_width * p.output_channels;
    for (int32_t i = 0; i < p.phases; ++i) {
      phase_pixels(p, tables.phases[i], image, tables, scratch, y);
    }
  }
}

}  // namespace opsmith::transpose_conv
