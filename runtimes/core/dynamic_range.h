// Floats quantised at run time by their range, as LiteRT does in front of weights of int8
// (NeonSymmetricQuantizeFloats and NeonAsymmetricQuantizeFloats in
// tensorflow/lite/kernels/internal/optimized/neon_tensor_utils.cc, which also its reference kernels
// call). Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/rounding.h"

namespace opsmith {

// What quantised elements mean: (q - zero_point) * scale.
struct DynamicRange {
  float scale;
  int32_t zero_point;
};

// The least and the greatest of some floats and 0; NaN is none of them.
struct Extent {
  float low;
  float high;
};

inline Extent extent_of(const float* x, int32_t size) {
  Extent found = {0, 0};
  for (int32_t i = 0; i < size; ++i) {
    if (x[i] < found.low) found.low = x[i];
    if (x[i] > found.high) found.high = x[i];
  }
  return found;
}

inline bool all_zero(const float* x, int32_t size) {
  for (int32_t i = 0; i < size; ++i) {
    if (x[i] != 0) return false;
  }
  return true;
}

// The element nearest to x / scale, which is at most 255 but where the range is so small that the
// inverse of its scale is infinite, or x is infinite or NaN: then it is the least. LiteRT's
// elements are others there, and of ranges below 7.5e-37 (255 / FLT_MAX): they depend on whether
// they fill a vector of eight and on how the machine converts what is not finite.
inline int8_t quantized(float scaled, int32_t zero_point, int32_t least) {
  const bool finite = scaled > -256 && scaled < 256;
  return static_cast<int8_t>(finite ? clamp(round_half_away(scaled) + zero_point, least, 127)
                                    : least);
}

// How floats become elements, and what these mean.
struct Quantiser {
  DynamicRange range;
  float inverse;  // of range.scale; infinite where the range is too small for it
  int32_t least;
};

// Elements from -127 to 127, with zero point 0.
inline Quantiser symmetric_quantiser(const Extent& extent) {
  const float largest = -extent.low > extent.high ? -extent.low : extent.high;
  if (largest == 0) return {{1, 0}, 0, -127};
  return {{largest / 127, 0}, 127 / largest, -127};
}

// The zero point of a range: of the two that its ends ask for, that whose end is farther away.
// Where an end is infinite it is the least. What the ends ask for differs by less than 0.001, also
// in single precision, which takes a tenth of the time where it leaves no doubt.
inline int32_t zero_point_of(const Extent& extent, float scale) {
  if (scale >= __FLT_MIN__ && scale <= __FLT_MAX__) {
    const float wanted = -128 - extent.low / scale;
    const int32_t nearest = round_half_away(wanted);
    const float rest = wanted - static_cast<float>(nearest);
    if (rest > -0.499f && rest < 0.499f) return clamp(nearest, -128, 127);
  }
  const double step = static_cast<double>(extent.high - extent.low) / 255;
  const double low = static_cast<double>(extent.low) / step;
  const double high = static_cast<double>(extent.high) / step;
  const double exact = 128 - low < 127 + high ? -128 - low : 127 - high;
  const bool finite = exact > -512 && exact < 512;
  return finite ? clamp(round_half_away(exact), -128, 127) : -128;
}

// Elements from -128 to 127, of which one is exactly 0. LiteRT divides in double precision, whose
// quotients of floats become the same floats.
inline Quantiser asymmetric_quantiser(const Extent& extent) {
  if (extent.low == extent.high) return {{1, 0}, 1, -128};
  const float scale = (extent.high - extent.low) / 255;
  return {{scale, zero_point_of(extent, scale)}, scale == 0 ? 0 : 1 / scale, -128};
}

inline void quantize_by(const Quantiser& by, const float* x, int32_t size, int8_t* q) {
  for (int32_t i = 0; i < size; ++i) {
    q[i] = quantized(x[i] * by.inverse, by.range.zero_point, by.least);
  }
}

inline DynamicRange quantize_symmetric(const float* x, int32_t size, int8_t* q) {
  const Quantiser by = symmetric_quantiser(extent_of(x, size));
  quantize_by(by, x, size, q);
  return by.range;
}

inline DynamicRange quantize_asymmetric(const float* x, int32_t size, int8_t* q) {
  const Quantiser by = asymmetric_quantiser(extent_of(x, size));
  quantize_by(by, x, size, q);
  return by.range;
}

}  // namespace opsmith
