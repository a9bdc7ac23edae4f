// Needs Helium. Fast because VMLADAVA adds sixteen products at once, each vector of weights that is
// loaded serves two pixels and each of pixels four output channels: eight sums stay in registers.
// A strip of the image is copied column by column, so that the inputs of each of its output pixels
// are one run of bytes.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/mve_groups.h"

namespace opsmith::conv_2d::i8 {

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
  convolve<kLinear, false>(*tables.strips, p.reversed, in.x, out.y, tables.blocks, scratch.strip);
}

}  // namespace opsmith::conv_2d::i8
