// Needs Helium. Fast as mve_lines.h, also where multipliers of some channels are 1/2 or more:
// groups that have such are computed by code of their own.
#pragma once

#include "ops/depthwise_conv_2d/i8/mve_lines.h"

namespace opsmith::depthwise_conv_2d::i8 {

template <int32_t kStep, bool kLinear, bool kClamps>
constexpr auto own(const Form<kStep, kLinear, kClamps, false, false>&) {
  return Form<kStep, kLinear, kClamps, false, false, false, true>();
}

template <class P>
void mve_lines_own(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                   const OwnLinesTables& tables, const MveLinesOwnScratch& scratch) {
  all_lines<decltype(form(p)), decltype(own(form(p)))>(*tables.geometry, p.step, in.x, out.y,
                                                       tables, scratch.strip);
}

}  // namespace opsmith::depthwise_conv_2d::i8
