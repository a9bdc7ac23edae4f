// Needs the DSP extension. Fast as lanes.h, with SXTAB16, which extends and adds two elements.
#pragma once

#include "ops/mean/lanes.h"
#include "runtimes/cmsis/lanes.h"

namespace opsmith::mean {

template <class P>
void mean_i8_cmsis_dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  means<dsp::Lanes>(p, in.x, out.y);
}

}  // namespace opsmith::mean
