// Needs Helium. Fast because VMLADAVA adds sixteen products at once, each vector of weights that is
// loaded serves two pixels and each of pixels four output channels: eight sums stay in registers.
// A strip of the image is copied column by column, so that the inputs of each of its output pixels
// are one run of bytes.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/mve_groups.h"

namespace opsmith::conv_2d::i8 {

// How sums become outputs, as far as it is known when the kernel is compiled.
template <const MveParams& kParams>
constexpr int32_t rounding_of(const StaticMve<kParams>&) {
  return mve::rounding(kParams.linear);
}
constexpr int32_t rounding_of(const MveParams&) { return mve::kLinear; }
template <const MveOwnParams& kParams>
constexpr int32_t rounding_of(const StaticMveOwn<kParams>&) {
  return mve::own_rounding(kParams.linear, kParams.left);
}
constexpr int32_t rounding_of(const MveOwnParams&) { return mve::own_rounding(true, true); }

// And of a pixel's inputs and the channels.
template <const MveParams& kParams>
mve::Known<kParams.steps, kParams.tail, kParams.rest> known_of(const StaticMve<kParams>&);
mve::Unknown known_of(...);

template <class P, class S>
void mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const MveTables& tables,
         const S& scratch) {
  constexpr int32_t kRounding = rounding_of(P{});
  convolve<false>(*tables.strips, mve::pairs_function<kRounding, decltype(known_of(P{}))>(),
                  p.reversed, in.x, out.y, mve::blocks_of(p.steps, tables.blocks), scratch.strip);
}

}  // namespace opsmith::conv_2d::i8
