// Sum of int8, rescaled in single precision.
#pragma once

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/rounding.h"
#include "runtimes/families/reduction.h"
#include "sum.op.h"

namespace opsmith::sum {

template <class P>
void single(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  reduction::for_each_element(p, in.x, out.y, [&p](const int8_t* x) {
    int32_t sum = 0;
    reduction::for_each_reduced(p, x, [&sum](int32_t element) { sum += element; });
    const float product = static_cast<float>(sum) * static_cast<float>(p.factor);
    const int32_t y = round_half_even(product + static_cast<float>(p.addend));
    return static_cast<int8_t>(clamp(y, INT8_MIN, INT8_MAX));
  });
}

}  // namespace opsmith::sum
