// Needs nothing. Fast because a word has four channels, two of which are summed up in one addition,
// and because one division serves all channels of a window. Bytes: for windows of up to 256 pixels.
#pragma once

#include "average_pool_2d.op.h"
#include "runtimes/families/lane_pools.h"

namespace opsmith::average_pool_2d {

template <class P, class T>
void lanes(const P& p, const In<T>& in, const Out<T>& out) {
  average_by_lanes<Lanes<T>>(p, in.x, out.y, [&p](int32_t pixels) {
    return [&p, mean = Mean<T>(pixels)](int32_t sum) {
      return mean.clamped(sum, p.activation_min, p.activation_max);
    };
  });
}

}  // namespace opsmith::average_pool_2d
