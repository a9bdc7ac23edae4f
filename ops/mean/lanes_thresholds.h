// Needs nothing. Fast as lanes.h, with one multiplication for each mean.
#pragma once

#include "ops/mean/lanes.h"

namespace opsmith::mean {

template <class P>
void lanes_thresholds(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  means<Lanes<int8_t>>(p, in.x, out.y);
}

}  // namespace opsmith::mean
