// Sums of neighbours of int8 along the last axis, rescaled, as means and sums of them are.
#pragma once

#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/families/reduction.h"

namespace opsmith::dsp {

// Elements of y from what sum_of(x, N) adds, for Params of reduction.h with a multiplier.
template <class P, class F>
void rescaled_runs(const P& p, int32_t y_zero_point, const int8_t* x, int8_t* y, F sum_of) {
  reduction::for_each_element(p, x, y, [&p, y_zero_point, sum_of](const int8_t* first) {
    const Word sum{sum_of(first, p.reduced[3]) - p.zero_point_sum};
    const Word found = multiply_by_quantized_multiplier(sum, p.multiplier, p.shift);
    return static_cast<int8_t>(clamp(found + y_zero_point, INT8_MIN, INT8_MAX).value);
  });
}

}  // namespace opsmith::dsp
