// Needs the DSP extension. Fast because USADA8 adds four neighbours, and SMMLAR rescales their sum.
// For sums of neighbours.
#pragma once

#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/families/reduction.h"
#include "sum.op.h"

namespace opsmith::sum {

// Sums of the neighbours that sum_of(x, N) adds.
template <class P, class F>
void sums_of_runs(const P& p, const int8_t* x, int8_t* y, F sum_of) {
  reduction::for_each_element(p, x, y, [&p, sum_of](const int8_t* first) {
    const dsp::Word sum{sum_of(first, p.reduced[3]) - p.zero_point_sum};
    const dsp::Word found = multiply_by_quantized_multiplier(sum, p.multiplier, p.shift);
    return static_cast<int8_t>(clamp(found + p.y_zero_point, INT8_MIN, INT8_MAX).value);
  });
}

template <class P>
void dsp_runs(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const auto sum_of = [](const int8_t* x, int32_t size) { return dsp::sum_of(x, size); };
  sums_of_runs(p, in.x, out.y, sum_of);
}

}  // namespace opsmith::sum
