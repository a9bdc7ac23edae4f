// Floats quantised at run time, as dynamic_range.h does, and sums as floats, for cores without an
// FPU. Fast because bits of floats compare as integers do, and a product that is rounded to an
// integer needs a multiplication of significands alone. Freestanding C++17.
#pragma once

#include <string.h>

#include "runtimes/core/dynamic_range.h"
#include "runtimes/core/float_bits.h"
#include "runtimes/core/real_clamp.h"

namespace opsmith::soft {

inline constexpr uint32_t kInfinite = 0x7f800000, kNegative = 0x80000000;

// Integers that compare as floats do that are not NaN; zeros are equal.
inline int32_t ordered(float x) {
  const uint32_t bits = bits_of(x);
  const int32_t magnitude = static_cast<int32_t>(bits & ~kNegative);
  return bits >= kNegative ? -magnitude : magnitude;
}

// The extent of N floats; false where one is infinite or NaN.
inline bool finite_extent(const float* x, int32_t size, Extent& found) {
  int32_t high = 0;
  uint32_t low = kNegative;
  for (int32_t i = 0; i < size; ++i) {
    const uint32_t bits = bits_of(x[i]);
    if (static_cast<int32_t>(bits) > high) high = static_cast<int32_t>(bits);
    if (bits > low) low = bits;
  }
  memcpy(&found.high, &high, sizeof high);
  found.low = 0;
  if (low != kNegative) memcpy(&found.low, &low, sizeof low);
  return static_cast<uint32_t>(high) < kInfinite && low < (kNegative | kInfinite);
}

// x * inverse, both finite, as quantized() makes an integer of it without a zero point:
// `significand` and `exponent` are those of the inverse. The product is rounded to 24 bits, ties to
// even, and then to an integer, ties away from zero. Subnormal x have products below a half.
inline int32_t nearest(uint32_t bits, uint32_t significand, int32_t exponent) {
  uint64_t product = uint64_t{(bits & 0x7fffff) | 0x800000} * significand;
  int32_t fraction = exponent - static_cast<int32_t>(bits >> 23 & 0xff);  // bits of it
  if (product >> 47 == 0) {
    product += product;
  } else {
    --fraction;
  }
  if (fraction > 25) return 0;
  const uint32_t last = static_cast<uint32_t>(product >> 24) & 1;
  const uint32_t rounded = static_cast<uint32_t>((product + 0x7fffff + last) >> 24);
  const uint32_t half = uint32_t{1} << (fraction - 1);
  const int32_t magnitude = static_cast<int32_t>((rounded + half) >> fraction);
  return bits >= kNegative ? -magnitude : magnitude;
}

// Finds the range of floats, from their least to their greatest if it is `asymmetric`, and
// quantises them. Shared by all layers.
__attribute__((noinline)) inline DynamicRange quantized_by_range(const float* x, int32_t size,
                                                                 bool asymmetric, int8_t* q) {
  Extent extent;
  const bool finite = finite_extent(x, size, extent);
  if (!finite) extent = extent_of(x, size);
  const Quantiser by = asymmetric ? asymmetric_quantiser(extent) : symmetric_quantiser(extent);
  const uint32_t inverse = bits_of(by.inverse), biased = inverse >> 23;
  if (!finite || biased == 0 || biased > 227) {  // 2^100
    quantize_by(by, x, size, q);
    return by.range;
  }
  const uint32_t significand = (inverse & 0x7fffff) | 0x800000;
  // The fraction has this many bits less the exponent of x.
  const int32_t exponent = 2 * (127 + 23) - 23 - static_cast<int32_t>(biased);
  const int32_t zero_point = by.range.zero_point, least = by.least;
  for (int32_t i = 0; i < size; ++i) {
    const int32_t element = nearest(bits_of(x[i]), significand, exponent) + zero_point;
    q[i] = static_cast<int8_t>(clamp(element, least, 127));
  }
  return by.range;
}

// How sums of an image become floats.
struct RealOutputs {
  float of_sums;  // multiplies products of sums and scales, but where it is 1
  int32_t zero_point;
  int32_t low, high;  // bounds, as ordered() gives them
  float least, greatest;
};

// Constants of a channel: dsp_dynamic_range.py.
struct RealChannel {
  float scale, bias;
  int32_t weights;  // their sum, which zero points are multiplied by
};

// Outputs of a quantised image. `one_by_one`: sums are multiplied by the scale of their channel,
// and then by that of the image; else by `scales`, the products of both, which are made here.
template <class P>
RealOutputs real_outputs(const P& p, const DynamicRange& range, bool one_by_one,
                         const RealChannel* constants, int32_t channels, float* scales) {
  const float low = static_cast<float>(p.real_min), high = static_cast<float>(p.real_max);
  for (int32_t c = 0; c < channels; ++c) {
    scales[c] = one_by_one ? constants[c].scale : range.scale * constants[c].scale;
  }
  return {one_by_one ? range.scale : 1, range.zero_point, ordered(low), ordered(high), low, high};
}

// Within bounds, as real_clamp() gives it.
inline float clamped(const RealOutputs& o, float x) {
  const int32_t at = ordered(x);
  const bool below = at < o.low;
  if (!below && at <= o.high) return x;
  if (bits_of(x) << 1 > kInfinite << 1) return x;  // NaN
  return below ? o.least : o.greatest;
}

inline float real_of(const RealOutputs& o, const RealChannel& channel, float scale, int32_t sum) {
  const float product = static_cast<float>(sum - o.zero_point * channel.weights) * scale;
  const bool is_whole = bits_of(o.of_sums) == bits_of(1);
  return clamped(o, (is_whole ? product : product * o.of_sums) + channel.bias);
}

// A Params whose border is what quantised zeros are.
template <class P>
struct Bordered : P {
  int32_t input_zero_point;
};

}  // namespace opsmith::soft
