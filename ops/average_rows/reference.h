// AverageRows, the definition. The mean is rounded as AVERAGE_POOL_2D's.
#pragma once

#include "average_rows.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/families/window.h"

namespace opsmith::average_rows {

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const State& state) {
  const bool begins = state.rows[0] == 0 || state.rows[0] == p.window_height;
  const int32_t rows = begins ? 1 : state.rows[0] + 1;
  state.rows[0] = rows;
  int8_t* y = out.y;
  int32_t* sum = state.sums;
  for (int32_t ox = 0; ox < p.output_width; ++ox) {
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps columns = taps_inside(left, p.input_width, p.window_width, 1);
    const int32_t count = rows * (columns.end - columns.first);
    for (int32_t c = 0; c < p.channels; ++c, ++sum) {
      if (begins) *sum = 0;
      for (int32_t fx = columns.first; fx < columns.end; ++fx) {
        *sum += in.x[(left + fx) * p.channels + c];
      }
      const int32_t half = *sum > 0 ? count / 2 : -(count / 2);  // ties away from zero
      const int32_t mean = (*sum + half) / count;
      *y++ = static_cast<int8_t>(clamp(mean, p.activation_min, p.activation_max));
    }
  }
}

}  // namespace opsmith::average_rows
