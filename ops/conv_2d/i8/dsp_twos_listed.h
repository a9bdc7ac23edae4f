// Needs the DSP extension. Fast as dsp_twos.h: outputs that may be those of an exception are looked
// at again, while the columns of their pixels are there.
#pragma once

#include "ops/conv_2d/i8/dsp_listed.h"
#include "ops/conv_2d/i8/dsp_twos.h"

namespace opsmith::conv_2d::i8 {

constexpr int32_t kPairsOfBlock = 2;  // of channels, whose weights alternate

template <class P>
void dsp_twos_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                     const DspTwosListedScratch& scratch) {
  const Exception* exceptions = exceptions_of(p, tables.requantization);
  const auto layer = two_pixels_of(p, tables);
  each_by_twos(p, in, out, scratch,
               [&](const auto& o, const uint32_t* columns, int32_t count, int8_t* y)
                   __attribute__((always_inline)) {
                     dsp::each_two_pixels<true>(o, layer, columns, count, y);
                     const ListedPixels pixels = {columns,        layer.words, layer.weights,
                                                  layer.channels, count,       kPairsOfBlock};
                     correct_pixels(pixels, exceptions, layer.channels, y);
                   });
}

}  // namespace opsmith::conv_2d::i8
