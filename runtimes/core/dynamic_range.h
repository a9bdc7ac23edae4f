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

// Elements from -127 to 127, with zero point 0.
inline DynamicRange quantize_symmetric(const float* x, int32_t size, int8_t* q) {
  const Extent extent = extent_of(x, size);
  const float largest = -extent.low > extent.high ? -extent.low : extent.high;
  const float inverse = largest == 0 ? 0 : 127 / largest;
  for (int32_t i = 0; i < size; ++i) {
    q[i] = quantized(x[i] * inverse, 0, -127);
  }
  return {largest == 0 ? 1 : largest / 127, 0};
}

// The zero point for steps of this size: of the two that the ends of the range ask for, that whose
// end is farther away. Where an end is infinite it is the least.
inline int32_t zero_point_of(double low, double high) {
  const double exact = 128 - low < 127 + high ? -128 - low : 127 - high;
  const bool finite = exact > -512 && exact < 512;
  return finite ? clamp(round_half_away(exact), -128, 127) : -128;
}

// Elements from -128 to 127, of which one is exactly 0.
inline DynamicRange quantize_asymmetric(const float* x, int32_t size, int8_t* q) {
  const Extent extent = extent_of(x, size);
  const bool zero = extent.low == extent.high;
  const double step = zero ? 1 : static_cast<double>(extent.high - extent.low) / 255;
  const double low = static_cast<double>(extent.low) / step;
  const double high = static_cast<double>(extent.high) / step;
  const int32_t zero_point = zero ? 0 : zero_point_of(low, high);
  const float scale = static_cast<float>(step);
  const float inverse = scale == 0 ? 0 : static_cast<float>(1 / static_cast<double>(scale));
  for (int32_t i = 0; i < size; ++i) {
    q[i] = quantized(x[i] * inverse, zero_point, -128);
  }
  return {scale, zero_point};
}

}  // namespace opsmith
