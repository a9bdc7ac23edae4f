// Needs the DSP extension. Fast because each four inputs that are loaded serve four output
// channels, and SMLAD adds two products at once.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/rounding.h"

namespace opsmith::fully_connected {

// Adds to four sums the products of a row with the packed weights of their channels.
template <class S>
const uint32_t* dot_products(const S& s, const int8_t* x, const uint32_t* weights,
                             int32_t (&sums)[4]) {
  int32_t a = sums[0], b = sums[1], c = sums[2], d = sums[3];
  for (const int8_t* end = x + s.depth; x != end; x += 4, weights += 4) {
    const uint32_t word = dsp::load_word(x);
    const uint32_t even = dsp::sxtb16(word);
    const uint32_t odd = dsp::sxtb16_ror8(word);
    a = dsp::smlad(dsp::sxtb16(weights[0]), even, a);
    b = dsp::smlad(dsp::sxtb16_ror8(weights[0]), even, b);
    c = dsp::smlad(dsp::sxtb16(weights[1]), even, c);
    d = dsp::smlad(dsp::sxtb16_ror8(weights[1]), even, d);
    a = dsp::smlad(dsp::sxtb16(weights[2]), odd, a);
    b = dsp::smlad(dsp::sxtb16_ror8(weights[2]), odd, b);
    c = dsp::smlad(dsp::sxtb16(weights[3]), odd, c);
    d = dsp::smlad(dsp::sxtb16_ror8(weights[3]), odd, d);
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
  return weights;
}

template <class S>
void fully_connected_i8_cmsis_dsp(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                  const DspTables& tables) {
  const double* scales = tables.scale;
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < s.rows; ++row, x += s.depth) {
    const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.weights);
    for (int32_t c = 0; c < s.channels; c += 4) {
      const int32_t* bias = tables.bias + c;
      int32_t sums[4] = {bias[0], bias[1], bias[2], bias[3]};
      weights = dot_products(s, x, weights, sums);
      for (int32_t i = 0; i < 4 && c + i < s.channels; ++i) {
        const double scale = scales[s.per_channel ? c + i : 0];
        const int32_t scaled = round_half_away(static_cast<double>(sums[i]) * scale);
        *y++ = dsp::clamped(s, scaled + s.output_zero_point);
      }
    }
  }
}

}  // namespace opsmith::fully_connected
