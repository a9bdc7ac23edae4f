// Needs Helium. Fast because one VMLADAV is a window of a channel: its taps, up to sixteen, are
// neighbours in a strip, which lines of samples (rows of pixels, or columns) are spread to. Eight
// channels at a time, the lines under the filter lie in it as a ring, with their border, so each is
// read once and y may replace x; the weights are turned with the ring.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/mve_walk.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <const LinesParams& kParams>
constexpr auto form(const StaticLines<kParams>&) {
  return Form<kParams.step, kParams.linear, kParams.clamps, false, false>();
}
template <class P>
constexpr auto form(const P&) {
  return Form<0, true, true, false, false>();
}

template <class P>
void mve_lines(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const LinesTables& tables,
               const MveLinesScratch& scratch) {
  all_lines<decltype(form(p))>(*tables.geometry, p.step, in.x, out.y, tables, scratch.strip);
}

}  // namespace opsmith::depthwise_conv_2d::i8
