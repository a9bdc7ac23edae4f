// Sum of int8. Fast because one multiplication, which is proved for all sums, rescales them.
#pragma once

#include "runtimes/core/high_product.h"
#include "runtimes/families/reduction.h"
#include "sum.op.h"

namespace opsmith::sum {

template <class P>
void thresholds(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  reduction::for_each_element(p, in.x, out.y, [&p](const int8_t* x) {
    int32_t sum = 0;
    reduction::for_each_reduced(p, x, [&sum](int32_t element) { sum += element; });
    return requantize_sum(p, sum, Threshold{p.multiplier, p.offset});
  });
}

}  // namespace opsmith::sum
