// Needs Helium with floats. Fast as mve_lines.h: sums are rescaled in single precision.
#pragma once

#include "ops/depthwise_conv_2d/i8/mve_lines.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <const LinesParams& kParams>
constexpr auto single_form(const StaticLines<kParams>&) {
  return Form<kParams.step, false, kParams.clamps, false, false, true>();
}
template <class P>
constexpr auto single_form(const P&) {
  return Form<0, false, true, false, false, true>();
}

template <class P>
void mve_lines_single(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                      const LinesTables& tables, const MveLinesSingleScratch& scratch) {
  all_lines<decltype(single_form(p))>(*tables.geometry, p.step, in.x, out.y, tables, scratch.strip);
}

}  // namespace opsmith::depthwise_conv_2d::i8
