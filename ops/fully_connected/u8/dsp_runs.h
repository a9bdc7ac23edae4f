// Needs the DSP extension. Fast as runtimes/cmsis/dsp_runs.h says, two channels at a time; takes
// every node.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_runs.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/rounding.h"

namespace opsmith::fully_connected::u8 {

template <class P>
void dsp_runs(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const Tables& tables) {
  const dsp::ZeroPoints zero = {p.input_zero_point, p.weights_zero_point};
  const int32_t depth = p.depth, channels = p.channels;
  const auto output = [&](int32_t c, int32_t sum) {
    const double scaled = static_cast<double>(sum + tables.bias[c]) * tables.scale[0];
    return static_cast<uint8_t>(
        clamp(round_half_away(scaled) + p.output_zero_point, p.activation_min, p.activation_max));
  };
  const uint8_t* x = in.x;
  uint8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row, x += depth, y += channels) {
    const uint8_t* w = tables.weights;
    int32_t c = 0;
    for (; c + 1 < channels; c += 2, w += 2 * depth) {
      dsp::Runs<2, uint8_t> sums(zero, depth);
      sums.add(x, w, depth);
      y[c] = output(c, sums.a());
      y[c + 1] = output(c + 1, sums.b());
    }
    if (c < channels) {
      dsp::Runs<1, uint8_t> sums(zero, 0);
      sums.add(x, w, depth);
      y[c] = output(c, sums.a());
    }
  }
}

}  // namespace opsmith::fully_connected::u8
