// Real resize bilinear, the definition: exact until it is rounded, halves to even.
#pragma once

#include "ops/real_resize_bilinear/walk.h"
#include "runtimes/core/even_quotient.h"

namespace opsmith::real_resize_bilinear {

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  const int32_t one = p.one_down * p.one_across, zero_point = p.zero_point;
  for_each_sum(p, in.x, out.y, tables, [one, zero_point](int32_t sum) {
    return even_quotient(sum - one * zero_point, one) + zero_point;
  });
}

}  // namespace opsmith::real_resize_bilinear
