// Needs the DSP extension. Fast as the kernel of int8 is: inputs and weights are int8 here, 128
// less. What the zero point of the weights adds, a multiple of the sum of a pixel's inputs, is more
// inputs: the sum, in as many halfwords as it takes, by that zero point's opposite.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_groups.h"
#include "runtimes/cmsis/dsp_sums.h"

namespace opsmith::conv_2d::u8 {

template <class P, class S>
void dsp(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const DspTables& tables,
         const S& scratch) {
  const int32_t words = p.window / 2 * dsp::kPixels;
  const int32_t more = p.sums / 2 * dsp::kPixels;
  const auto weights = dsp::weights_of(p, tables.filter);
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  dsp::fill_up(scratch.window, p.window);
  const auto fill = [&](const int8_t* image, int32_t first, int32_t count) {
    dsp::spread_pixels<dsp::kFlip>(p, image, first, count, p.window, scratch.window, columns);
    dsp::append_sums(columns, words, more);
    return Windows<decltype(weights)>{words + more, weights};
  };
  groups_of_pixels(p, reinterpret_cast<const int8_t*>(in.x), tables, columns, scratch.rest, out.y,
                   fill);
}

}  // namespace opsmith::conv_2d::u8
