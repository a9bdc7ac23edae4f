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

// How sums of one channel of an image become floats: less a product of the zero point.
struct RealSums {
  int32_t less;
  float scale, bias;
};
inline RealSums real_sums(const RealOutputs& o, const RealChannel& channel) {
  return {o.zero_point * channel.weights, channel.scale * o.of_scales, channel.bias};
}
inline float real_of(int32_t sum, const RealSums& channel) {
  return static_cast<float>(sum - channel.less) * channel.scale + channel.bias;
}

// Bounds of outputs, where only the lower one counts, or both. NaN and the sign of zero stay.
struct LowBound {
  float low;
};
struct RealBounds {
  float low, high;
};
inline float requantize(const LowBound& o, int32_t sum, const RealSums& channel) {
  const float x = real_of(sum, channel);
  return x < o.low ? o.low : x;
}
inline float requantize(const RealBounds& o, int32_t sum, const RealSums& channel) {
  const float above = requantize(LowBound{o.low}, sum, channel);
  return above > o.high ? o.high : above;
}

// Calls put() with the bounds of outputs; those without any are above the lowest float.
template <class Put>
void with_bounds(const RealOutputs& o, Put put) {
  if (o.clamps == kBothClamps) {
    put(RealBounds{o.low, o.high});
  } else {
    put(LowBound{o.low});
  }
}

// For loops that leave bounds of integers until a line is written.
constexpr LowBound saturated(const LowBound& o) { return o; }
constexpr RealBounds saturated(const RealBounds& o) { return o; }
template <class O>
void clamp_outputs(const O& /*outputs*/, int32_t /*size*/, int32_t /*pitch*/, float* /*y*/) {}

}  // namespace opsmith::dsp
