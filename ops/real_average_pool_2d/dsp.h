// Needs the DSP extension. Fast as lanes.h, with SXTAB16, which extends and adds two channels.
#pragma once

#include "ops/real_average_pool_2d/lanes.h"
#include "runtimes/cmsis/lanes.h"

namespace opsmith::real_average_pool_2d {

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  means<dsp::Lanes<int8_t>>(p, in.x, out.y);
}

}  // namespace opsmith::real_average_pool_2d
