// Needs nothing. Fast because a word has four elements of neighbouring means, two of which are
// summed up in one addition. For means along one run of axes, the last of x not among them.
#pragma once

#include "mean.op.h"
#include "ops/mean/scaled.h"
#include "runtimes/families/lane_sums.h"

namespace opsmith::mean {

template <class Lanes, class P, class T>
void means(const P& p, const T* x, T* y) {
  reduction::for_each_lane_sum<Lanes>(p, x, y, first_sum(p, 0),
                                      [&p](int32_t sum) { return scaled<T>(p, sum); });
}

template <class P, class T>
void lanes(const P& p, const In<T>& in, const Out<T>& out) {
  means<Lanes<T>>(p, in.x, out.y);
}

}  // namespace opsmith::mean
