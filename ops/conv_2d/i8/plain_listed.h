// Needs Thumb. Fast as plain.h, for sums some of which are exceptions.
#pragma once

#include "ops/conv_2d/i8/plain.h"

namespace opsmith::conv_2d::i8 {

template <class P>
void plain_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                  const PlainTables& tables, const PlainListedScratch& scratch) {
  by_words(p, in, out, tables, scratch.windows);
}

}  // namespace opsmith::conv_2d::i8
