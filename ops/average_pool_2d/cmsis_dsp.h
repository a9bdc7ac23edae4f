// Needs the DSP extension. Fast as lanes.h, with SXTAB16, which extends and adds two channels.
#pragma once

#include "ops/average_pool_2d/lanes.h"
#include "runtimes/cmsis/lanes.h"

namespace opsmith::average_pool_2d {

template <class P>
void average_pool_2d_i8_cmsis_dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  average<dsp::Lanes>(p, in.x, out.y);
}

}  // namespace opsmith::average_pool_2d
