// Needs nothing. Fast because a quotient of 32 bits makes an element of a sum: for scales whose
// quotient is of small integers.
#pragma once

#include "ops/real_mean/rounded.h"
#include "real_mean.op.h"
#include "runtimes/families/reduction.h"

namespace opsmith::real_mean {

template <class P>
void quotient(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  reduction::for_each_element(p, in.x, out.y, [&p](const int8_t* x) {
    int32_t sum = -p.zero_point_sum;
    reduction::for_each_reduced(p, x, [&sum](int32_t element) { sum += element; });
    return rounded(p, sum);
  });
}

}  // namespace opsmith::real_mean
