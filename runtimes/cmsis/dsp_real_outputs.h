// How sums of integers become float32, for kernels that quantise their inputs when they run.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtimes/core/dynamic_range.h"

namespace opsmith::dsp {

enum Clamps : int32_t { kNoClamp, kLowClamp, kBothClamps };

// How sums of an image become floats; assembly knows the members by their offsets.
struct RealOutputs {
  float of_scales;  // multiplies the scale of each channel
  float of_sums;    // multiplies the products of sums and scales
  int32_t zero_point;
  int32_t clamps;
  float low, high;
};
static_assert(offsetof(RealOutputs, zero_point) == 8 && offsetof(RealOutputs, high) == 20);

// Constants of a channel: dsp_dynamic_range.py.
struct RealChannel {
  float scale, bias;
  int32_t weights;  // their sum, which zero points are multiplied by
};

// Those of a quantised image. `largest_scale`: of it, with which all outputs are finite.
// `one_by_one`: sums are multiplied by the scale of their channel, and then by that of the image.
template <class P>
RealOutputs real_outputs(const P& p, const DynamicRange& range, bool one_by_one) {
  const float low = static_cast<float>(p.real_min), high = static_cast<float>(p.real_max);
  const bool finite = range.scale <= static_cast<float>(p.largest_scale);
  const Clamps clamps = !finite || high < __FLT_MAX__ ? kBothClamps
                        : low > -__FLT_MAX__          ? kLowClamp
                                                      : kNoClamp;
  const float scale = range.scale;
  return {one_by_one ? 1 : scale, one_by_one ? scale : 1, range.zero_point, clamps, low, high};
}

}  // namespace opsmith::dsp
