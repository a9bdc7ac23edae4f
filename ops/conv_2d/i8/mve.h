// Needs Helium. Fast because VMLADAVA adds sixteen products at once, each vector of weights that is
// loaded serves two pixels and each of pixels four output channels: eight sums stay in registers.
// A strip of the image is copied column by column, so that the inputs of each of its output pixels
// are one run of bytes.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/mve_strips.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

template <bool kLinear>
inline __attribute__((noinline)) void convolve(const Strips& g, bool reversed, const int8_t* x,
                                               int8_t* y, const int32_t* blocks, int8_t* strip) {
  const mve::Spread by = mve::spread(g.input_channels, g.filter_height * g.input_channels);
  const int32_t groups = (g.output_width + g.group - 1) / g.group;
  for (int32_t i = 0; i < g.batches; ++i) {
    const int32_t b = nth(i, g.batches, reversed);
    const int8_t* image = x + b * g.input_height * g.input_width * g.input_channels;
    for (int32_t j = 0; j < g.output_height; ++j) {
      const int32_t oy = nth(j, g.output_height, reversed);
      int8_t* row = y + (b * g.output_height + oy) * g.output_width * g.output_channels;
      for (int32_t k = 0; k < groups; ++k) {
        const int32_t first = nth(k, groups, reversed) * g.group;
        const int32_t end = first + g.group < g.output_width ? first + g.group : g.output_width;
        mve::group_of_pixels<kLinear>(g, by, blocks, image, oy, first, end, strip,
                                      row + first * g.output_channels);
      }
    }
  }
}

// What is known of the outputs when the kernel is compiled.
template <const MveParams& kParams>
constexpr bool may_be_linear(const StaticMve<kParams>&) {
  return kParams.linear;
}
template <class P>
constexpr bool may_be_linear(const P&) {
  return true;
}

template <class P>
void mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const MveTables& tables,
         const MveScratch& scratch) {
  constexpr bool kLinear = may_be_linear(P{});
  convolve<kLinear>(*tables.strips, p.reversed, in.x, out.y, tables.blocks, scratch.strip);
}

}  // namespace opsmith::conv_2d::i8
