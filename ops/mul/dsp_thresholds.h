// Needs the DSP extension. Fast as dsp.h, and because SMMLA and SSAT requantise a product, which is
// proved for all of them.
#pragma once

#include "ops/mul/dsp.h"

namespace opsmith::mul {

template <class P>
void dsp_thresholds(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const dsp::Threshold threshold = {p.multiplier, p.offset};
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  const auto rescaled = [=](int32_t product) { return dsp::requantize(o, product, threshold); };
  multiply_rows(p, rescaled, in.a, in.b, out.y);
}

}  // namespace opsmith::mul
