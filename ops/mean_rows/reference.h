// MeanRows, the definition. The mean is rounded as MEAN's.
#pragma once

#include "mean_rows.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/limits.h"

namespace opsmith::mean_rows {

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const State& state) {
  const bool begins = state.rows[0] == 0 || state.rows[0] == p.rows;
  state.rows[0] = begins ? 1 : state.rows[0] + 1;
  for (int32_t c = 0; c < p.channels; ++c) {
    int32_t sum = begins ? 0 : state.sums[c];
    for (int32_t i = 0; i < p.pixels; ++i) sum += in.x[i * p.channels + c] - p.zero_point;
    state.sums[c] = sum;
    const int32_t scaled = multiply_by_quantized_multiplier(sum, p.multiplier, p.shift);
    out.y[c] = static_cast<int8_t>(
        clamp(scaled + p.output_zero_point, Limits<int8_t>::kLow, Limits<int8_t>::kHigh));
  }
}

}  // namespace opsmith::mean_rows
