// Needs Helium. Fast because each phase of the strides is a convolution, whose pixels take the
// inner loop of Conv2D, a row at a time; then they are copied to where they are in y. Of uint8,
// inputs and weights are int8 here, 128 less, with a multiple of the sum of a pixel's inputs.
#pragma once

#include "runtimes/cmsis/mve_strips.h"
#include "transpose_conv.op.h"

namespace opsmith::transpose_conv {

// The pixels of a phase in an image of y.
template <bool kLinear, bool kUnsigned, class Phase>
void phase_pixels(const MveGeometry& g, const Phase& phase, const int8_t* image,
                  const int32_t* blocks, const MveScratch& scratch, int8_t* y) {
  const int32_t step = g.stride_width * g.output_channels,
                line = g.output_width * g.output_channels;
  const int32_t width = g.tile_width * g.output_channels, channels = g.tile_height * width;
  const mve::Spread by = mve::spread(g.input_channels, phase.filter_height * g.input_channels);
  y += phase.first_row * line + phase.first_column * g.output_channels;
  for (int32_t row = 0; row < phase.output_height; ++row) {
    for (int32_t first = 0; first < phase.output_width; first += phase.group) {
      const int32_t left = phase.output_width - first;
      const int32_t count = left < phase.group ? left : phase.group;
      mve::group_of_pixels<kLinear, kUnsigned>(phase, by, blocks, image, row, first, first + count,
                                               scratch.strip, scratch.pixels);
      for (int32_t r = 0; r < g.tile_height; ++r) {
        mve::copy_columns(y + r * line + first * step, step, scratch.pixels + r * width, channels,
                          width, count);
      }
    }
    y += g.stride_height * line;
  }
}

template <bool kLinear, bool kUnsigned, class Tables>
__attribute__((noinline)) void all_phases(const Tables& tables, const int8_t* x,
                                          const MveScratch& scratch, int8_t* y) {
  const MveGeometry& g = *tables.geometry;
  for (int32_t b = 0; b < g.batches; ++b) {
    for (int32_t i = 0; i < g.phases; ++i) {
      const auto& phase = tables.phases[i];
      phase_pixels<kLinear, kUnsigned>(g, phase, x, tables.blocks + phase.blocks, scratch, y);
    }
    x += g.input_height * g.input_width * g.input_channels;
    y += g.output_height * g.output_width * g.output_channels;
  }
}

template <class P>
void mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const MveTables& tables,
         const MveScratch& scratch) {
  if (p.linear) {
    all_phases<true, false>(tables, in.x, scratch, out.y);
  } else {
    all_phases<false, false>(tables, in.x, scratch, out.y);
  }
}

template <class P>
void mve(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const SummedTables& tables,
         const MveScratch& scratch) {
  const auto* x = reinterpret_cast<const int8_t*>(in.x);
  auto* y = reinterpret_cast<int8_t*>(out.y);
  if (p.linear) {
    all_phases<true, true>(tables, x, scratch, y);
  } else {
    all_phases<false, true>(tables, x, scratch, y);
  }
}

}  // namespace opsmith::transpose_conv
