// Needs the DSP extension. Fast because each phase of the strides is a convolution, whose pixels
// take the inner loop of Conv2D, four at a time; then they are copied to where they are in y. Of
// uint8, inputs and weights are int8 here, 128 less, and what the zero point of the weights adds
// are further inputs: the sums of a pixel's inputs, by that zero point's opposite.
#pragma once

#include "runtimes/cmsis/dsp_pixels.h"
#include "runtimes/cmsis/dsp_sums.h"
#include "transpose_conv.op.h"

namespace opsmith::transpose_conv {

// The pixels of a phase in an image of y. fill(first, count) fills columns of `words` words with up
// to four pixels' inputs.
template <class P, class W, class C, class S, class Y, class Fill>
void phase_pixels(const P& p, const DspPhase& phase, W weights, const C* constants,
                  const S& scratch, int32_t words, Y* y, Fill fill) {
  const int32_t pixels = phase.output_height * phase.output_width;
  const int32_t width = p.tile_width * p.output_channels, channels = p.tile_height * width;
  const uint32_t* columns = reinterpret_cast<const uint32_t*>(scratch.columns);
  int32_t row = phase.first_row, column = phase.first_column;
  for (int32_t first = 0; first < pixels; first += dsp::kPixels) {
    const int32_t left = pixels - first, count = left < dsp::kPixels ? left : dsp::kPixels;
    fill(first, count);
    dsp::four_pixels(dsp::outputs_of<Y>(p, &P::left_shift), columns, words, weights, constants,
                     channels, scratch.pixels);
    const int8_t* tile = scratch.pixels;
    for (int32_t i = 0; i < count; ++i) {
      Y* to = y + (row * p.output_width + column) * p.output_channels;
      for (int32_t r = 0; r < p.tile_height; ++r, tile += width) {
        memcpy(to, tile, static_cast<size_t>(width));
        to += p.output_width * p.output_channels;
      }
      column += p.stride_width;
      if (column >= p.output_width) column = phase.first_column, row += p.stride_height;
    }
  }
}

// For each image f(phase, image, first, count) fills columns, whose words include `more`.
template <class P, class C, class S, class Y, class Fill>
void all_phases(const P& p, const int8_t* image, const DspTables& tables, const C* constants,
                const S& scratch, int32_t more, Y* y, Fill fill) {
  const int32_t pairs = (p.tile_height * p.tile_width * p.output_channels + 1) / 2;
  auto weights = dsp::weights_of(p, tables.filter);
  for (int32_t i = 0; i < p.phases; ++i) {
    const DspPhase& phase = tables.phases[i];
    const int32_t words = phase.window * (dsp::kPixels / 2) + more;
    phase_pixels(p, phase, weights, constants, scratch, words, y,
                 [&](int32_t first, int32_t count) { fill(phase, image, first, count); });
    weights += pairs * (words / dsp::kPixels);
    constants += 2 * pairs;
  }
}

template <class P, class S, class Y, class Fill>
void all_images(const P& p, const int8_t* x, const DspTables& tables, const S& scratch,
                int32_t more, Y* to, Fill fill) {
  for (int32_t b = 0; b < p.batches; ++b) {
    const int8_t* image = x + b * p.input_height * p.input_width * p.input_channels;
    Y* y = to + b * p.output_height * p.output_width * p.output_channels;
    with_constants(p, tables.requantization, [&](const auto* constants) {
      all_phases(p, image, tables, constants, scratch, more, y, fill);
    });
  }
}

template <class P, class S>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const DspTables& tables,
         const S& scratch) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  all_images(p, in.x, tables, scratch, 0, out.y,
             [&](const DspPhase& phase, const int8_t* image, int32_t first, int32_t count) {
               dsp::spread_pixels(phase, image, first, count, phase.window, scratch.window,
                                  columns);
             });
}

template <class P, class S>
void dsp(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const DspTables& tables,
         const S& scratch) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const int32_t more = p.sums / 2 * dsp::kPixels;
  const auto fill = [&](const DspPhase& phase, const int8_t* image, int32_t first, int32_t count) {
    const int32_t size = phase.window;
    dsp::fill_up(scratch.window, size);
    dsp::spread_pixels<dsp::kFlip>(phase, image, first, count, size, scratch.window, columns);
    dsp::append_sums(columns, size * (dsp::kPixels / 2), more);
  };
  all_images(p, reinterpret_cast<const int8_t*>(in.x), tables, scratch, more, out.y, fill);
}

}  // namespace opsmith::transpose_conv
