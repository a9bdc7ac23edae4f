// Needs the DSP extension. Fast because SMMULR multiplies and rounds, and SSAT clamps.
#pragma once

#include "abs.op.h"
#include "runtimes/cmsis/dsp_unary.h"

namespace opsmith::abs {

struct Size {
  template <class P>
  static dsp::Word of(const P& p, dsp::Word x) {
    return requantize(p, dsp::Word{x.value < 0 ? -x.value : x.value});
  }
};

template <class P>
void dsp(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  dsp::elements<Size>(p, in.x, out.y);
}

}  // namespace opsmith::abs
