// Needs the DSP extension. Fast as winograd.h, for sums some of which are exceptions.
#pragma once

#include "ops/conv_2d/i8/winograd.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void winograd_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                     const WinogradTables& tables, const WinogradListedScratch& scratch) {
  tiles::convolve(p, in, out, tables, scratch.lines, scratch.inputs, scratch.sums);
}

}  // namespace opsmith::conv_2d::i8
