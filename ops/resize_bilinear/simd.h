// Needs vectors. Fast because one has four words of channels, each as between.h has it.
#pragma once

#include "ops/resize_bilinear/between.h"

namespace opsmith::resize_bilinear {

template <class P>
void four_words(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                const BetweenTables& tables) {
  using FourWords [[gnu::vector_size(16)]] = uint32_t;
  between_rows<FourWords>(p, in, out, tables);
}

}  // namespace opsmith::resize_bilinear
