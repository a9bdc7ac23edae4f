// Needs the DSP extension. Fast as dsp_threes.h: outputs that may be those of an exception are
// looked at again, while the columns of their pixels are there.
#pragma once

#include "ops/conv_2d/i8/dsp_listed.h"
#include "ops/conv_2d/i8/dsp_threes.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void dsp_threes_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                       const Packed& tables, const DspThreesListedScratch& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const uint32_t* columns = reinterpret_cast<const uint32_t*>(scratch.columns);
  const auto* rows = reinterpret_cast<const Threshold*>(tables.requantization);
  const Exception* exceptions = exceptions_of(p, tables.requantization);
  const int32_t words = p.window / 2 * dsp::kPixels, channels = p.output_channels;
  each_three_or_four(p, in, out, scratch, [&](int32_t count, int8_t* y) {
    three_or_four(p, count, columns, weights, rows, y);
    const ListedPixels pixels = {columns, words, weights, channels, count};
    correct_pixels(pixels, exceptions, channels, y);
  });
}

}  // namespace opsmith::conv_2d::i8
