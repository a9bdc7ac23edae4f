// Needs nothing. Fast because a word has four channels, two of which are summed up in one addition,
// and because one division serves all channels of a window. For windows of up to 256 pixels.
#pragma once

#include "real_average_pool_2d.op.h"
#include "runtimes/core/even_quotient.h"
#include "runtimes/families/lane_pools.h"

namespace opsmith::real_average_pool_2d {

// The mean of a sum of `count` elements: by a shift where that is a power of two. Else a product
// with the reciprocal, which is a little too large, takes halves away from zero, and no other sum
// across one as long as there are few.
struct EvenMean {
  static constexpr int32_t kBits = 22;
  static constexpr int32_t kMostPixels = 90;

  int32_t count;
  int32_t zero_point;
  int32_t factor;
  int32_t shift;

  EvenMean(int32_t pixels, int32_t point)
      : count(pixels), zero_point(point), factor((1 << kBits) / pixels + 1), shift(0) {
    while (pixels >> shift > 1) ++shift;
    if (1 << shift != pixels) shift = 0;
  }

  int32_t operator()(int32_t sum) const {
    if (shift > 0) {  // elements of the zero point's parity stand for even numbers
      return (sum + count / 2 - 1 + (((sum >> shift) ^ zero_point) & 1)) >> shift;
    }
    const int32_t lifted = sum - count * zero_point;
    if (count > kMostPixels) return even_quotient(lifted, count) + zero_point;
    int32_t mean = (lifted * factor + (1 << (kBits - 1))) >> kBits;
    if ((mean & 1) != 0) {
      const int32_t beyond = 2 * (lifted - mean * count);
      if (beyond == count) ++mean;
      if (beyond == -count) --mean;
    }
    return mean + zero_point;
  }
};

template <class Lanes, class P>
void means(const P& p, const int8_t* x, int8_t* y) {
  average_by_lanes<Lanes>(p, x, y, [&p](int32_t pixels) { return EvenMean(pixels, p.zero_point); });
}

template <class P>
void lanes(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  means<Lanes<int8_t>>(p, in.x, out.y);
}

}  // namespace opsmith::real_average_pool_2d
