// Needs the DSP extension. Fast because each pair of weights that is loaded serves four pixels and
// two output channels: eight sums stay in registers, SMLAD adds two products at once, and only one
// of the two channels' weights are unpacked.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_groups.h"

namespace opsmith::conv_2d::i8 {

template <class P, class S>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
         const S& scratch) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  const auto weights = dsp::weights_of(p, tables.filter);
  int8_t* window = scratch.window;
  const auto fill = [=](const int8_t* image, int32_t first, int32_t count) {
    dsp::spread_pixels(p, image, first, count, p.window, window, columns);
    return Windows<decltype(weights)>{p.window / 2 * dsp::kPixels, weights};
  };
  groups_of_pixels(p, in.x, tables, columns, scratch.rest, out.y, fill);
}

}  // namespace opsmith::conv_2d::i8
