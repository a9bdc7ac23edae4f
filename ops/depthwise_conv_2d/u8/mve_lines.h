// Needs Helium. Fast as the kernel of int8 is: inputs become int8 where they are spread, 128 less.
// Weights without their zero point are bytes, or bytes and an offset that all share: then a second
// VMLADAV adds the offset times the inputs.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/mve_walk.h"

namespace opsmith::depthwise_conv_2d::u8 {

template <const MveLinesParams& kParams>
constexpr auto form(const StaticMveLines<kParams>&) {
  return Form<kParams.step, kParams.linear, true, true, kParams.offset>();
}
template <class P>
constexpr auto form(const P&) {
  return Form<0, true, true, true, true>();
}

template <class P>
void mve_lines(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out,
               const MveLinesTables& tables, const MveLinesScratch& scratch) {
  const auto* x = reinterpret_cast<const int8_t*>(in.x);
  auto* y = reinterpret_cast<int8_t*>(out.y);
  all_lines<decltype(form(p))>(*tables.geometry, p.step, x, y, tables, scratch.strip);
}

}  // namespace opsmith::depthwise_conv_2d::u8
