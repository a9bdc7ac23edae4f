// Needs the DSP extension. Fast because SMMULR multiplies and rounds, and SSAT clamps.
#pragma once

#include "leaky_relu.op.h"
#include "runtimes/cmsis/dsp_unary.h"

namespace opsmith::leaky_relu {

struct Sloped {
  template <class P>
  static dsp::Word of(const P& p, dsp::Word x) {
    const dsp::Word y =
        x.value < 0 ? multiply_by_quantized_multiplier(x, p.negative_multiplier, p.negative_shift)
                    : multiply_by_quantized_multiplier(x, p.multiplier, p.shift);
    return clamp(dsp::Word{x.value < 0 ? y.value * p.sign : y.value}, INT16_MIN, INT16_MAX);
  }
};

template <class P>
void dsp(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  dsp::elements<Sloped>(p, in.x, out.y);
}

}  // namespace opsmith::leaky_relu
