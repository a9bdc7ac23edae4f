// Needs nothing. Fast because a shift rounds sums: for parts of a pixel that are a power of two, as
// of an image in twice or four times its size.
#pragma once

#include "ops/real_resize_bilinear/walk.h"

namespace opsmith::real_resize_bilinear {

template <class P>
void shifted(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  const int32_t one = p.one_down * p.one_across;
  int32_t bits = 0;
  while (one >> bits != 1) ++bits;
  const int32_t below_half = one / 2 - (one > 1 ? 1 : 0);
  for_each_sum(p, in.x, out.y, tables, [bits, below_half](int32_t sum) {
    const int32_t odd = bits == 0 ? 0 : sum >> bits & 1;
    return (sum + below_half + odd) >> bits;
  });
}

}  // namespace opsmith::real_resize_bilinear
