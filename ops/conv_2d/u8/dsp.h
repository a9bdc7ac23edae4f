// Needs the DSP extension. Fast as the kernel of int8 is: inputs and weights are int8 here, 128
// less. What the zero point of the weights adds, a multiple of the sum of a pixel's inputs, is more
// inputs: the sum, in as many halfwords as it takes, by that zero point's opposite.
#pragma once

#include "conv_2d.op.h"
#include "ops/conv_2d/dsp_groups.h"

namespace opsmith::conv_2d::u8 {

// Appends the sums of the inputs of four pixels, which are `words` words of their columns.
inline void append_sums(uint32_t* columns, int32_t words, int32_t more) {
  for (int32_t k = 0; k < dsp::kPixels; ++k, ++columns) {
    int32_t sum = 0;
    for (int32_t i = 0; i < words; i += dsp::kPixels) sum = dsp::smlad(columns[i], 0x10001, sum);
    for (int32_t i = words; i < words + more; i += dsp::kPixels) {
      const int32_t low = __ssat(sum, 16), high = __ssat(sum - low, 16);
      columns[i] = dsp::pkhbt(static_cast<uint32_t>(low), static_cast<uint32_t>(high));
      sum -= low + high;
    }
  }
}

template <class P>
void dsp(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const DspTables& tables,
         const DspScratch& scratch) {
  const int32_t inputs = p.filter_height * p.filter_width * p.filter_channels;
  const int32_t size = (inputs + 3) & ~3, words = size / 2 * dsp::kPixels;
  const int32_t more = p.sums / 2 * dsp::kPixels;
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  // what fills up a window adds nothing to the sum
  for (int32_t i = inputs; i < size; ++i) scratch.window[i] = INT8_MIN;
  const auto fill = [&](const int8_t* image, int32_t first, int32_t count) {
    dsp::spread_pixels<dsp::kFlip>(p, image, first, count, size, scratch.window, columns);
    append_sums(columns, words, more);
  };
  groups_of_pixels(p, reinterpret_cast<const int8_t*>(in.x), tables, columns, words + more,
                   scratch.rest, reinterpret_cast<int8_t*>(out.y), fill);
}

}  // namespace opsmith::conv_2d::u8
