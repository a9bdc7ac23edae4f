// Needs nothing. Fast because a shift rounds sums: for parts of a pixel that are a power of two, as
// of an image in twice or four times its size.
#pragma once

#include "ops/real_resize_bilinear/walk.h"

namespace opsmith::real_resize_bilinear {

template <class P>
void shifted(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  const int32_t one = p.one_down * p.one_across, below_half = one / 2 - 1;
  int32_t bits = 1;
  while (one >> bits != 1) ++bits;
  const int32_t parity = p.zero_point & 1;  // of elements that are even without it
  for_each_sum(p, in.x, out.y, tables, [bits, below_half, parity](int32_t sum) {
    return (sum + below_half + (((sum >> bits) ^ parity) & 1)) >> bits;
  });
}

}  // namespace opsmith::real_resize_bilinear
