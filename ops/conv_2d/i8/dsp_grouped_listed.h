// Needs the DSP extension. Fast as dsp_grouped.h: outputs that may be those of an exception are
// looked at again, while the columns of their group are there.
#pragma once

#include "ops/conv_2d/i8/dsp_grouped.h"
#include "ops/conv_2d/i8/dsp_listed.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void dsp_grouped_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                        const Packed& tables, const DspGroupedListedScratch& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const uint32_t* columns = reinterpret_cast<const uint32_t*>(scratch.columns);
  const auto* rows = reinterpret_cast<const Threshold*>(tables.requantization);
  const int32_t channels = p.output_channels / p.groups;
  each_four_pixels(p, in, out, scratch, [&](const int8_t* image, int32_t first, int32_t count) {
    const Exception* e = exceptions_of(p, tables.requantization);
    const auto finish = [&](int32_t g, int32_t words) {
      int8_t* y = scratch.outputs + g * (dsp::kPixels - 1) * channels;
      const ListedPixels pixels = {columns, words, weights, channels, dsp::kPixels};
      e = correct_pixels(pixels, e, (g + 1) * channels, y);
    };
    outputs_of_groups(p, image, first, count, weights, rows, scratch, finish);
  });
}

}  // namespace opsmith::conv_2d::i8
