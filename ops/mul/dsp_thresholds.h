// Needs the DSP extension. Fast as dsp.h, and because SMMLA and SSAT requantise a product, which is
// proved for all of them.
#pragma once

#include "ops/mul/dsp.h"

namespace opsmith::mul {

// How products become elements of y where thresholds are proved.
template <class O>
struct Proved {
  O outputs;
  dsp::Threshold threshold;

  template <class P>
  static Proved of(const P& p, const O& outputs) {
    return {outputs, {p.multiplier, p.offset}};
  }

  __attribute__((always_inline)) int8_t operator()(int32_t twice) const {
    return dsp::requantize(outputs, twice, threshold);
  }
};

template <class P>
void dsp_thresholds(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  multiply_planes<Proved>(p, dsp::outputs_of<int8_t>(p, &P::left_shift), in.a, in.b, out.y);
}

}  // namespace opsmith::mul
