// Needs the DSP extension. Fast as lanes.h, with SXTAB16 or UXTAB16, which extends and adds two
// channels, and SMMULR, which multiplies by the reciprocal.
#pragma once

#include "ops/average_pool_2d/lanes.h"
#include "runtimes/cmsis/dsp_words.h"
#include "runtimes/cmsis/lanes.h"

namespace opsmith::average_pool_2d {

// As opsmith::Mean, and of int16, too.
template <class T>
struct DspMean {
  static constexpr int32_t kMostPixels = sizeof(T) == 1 ? kLanePixels : 180;

  int32_t count;
  int32_t factor;

  explicit DspMean(int32_t pixels) : count(pixels), factor(reciprocal(pixels)) {}

  int32_t operator()(int32_t sum) const {
    if (count <= kMostPixels) return dsp::smmulr(2 * sum, factor);
    return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
  }

  int32_t clamped(int32_t sum, int32_t low, int32_t high) const {
    return clamp(dsp::Word{(*this)(sum)}, low, high).value;
  }
};

template <class P, class T>
void dsp(const P& p, const In<T>& in, const Out<T>& out) {
  average<dsp::Lanes<T>, DspMean<T>>(p, in.x, out.y);
}

}  // namespace opsmith::average_pool_2d
