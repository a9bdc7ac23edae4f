// Real numbers to and from quantised elements, for applications. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// The element nearest to a real number, ties away from zero, saturated to [low, high].
template <class T>
constexpr T quantize(float real, float scale, int32_t zero_point, int32_t low, int32_t high) {
  const float scaled = real / scale;
  if (!(scaled > static_cast<float>(low) - static_cast<float>(zero_point))) return static_cast<T>(low);
  if (scaled >= static_cast<float>(high) - static_cast<float>(zero_point)) {
    return static_cast<T>(high);
  }
  const int32_t rounded = static_cast<int32_t>(scaled + (scaled < 0.0f ? -0.5f : 0.5f));
  return static_cast<T>(rounded + zero_point);
}

// The real number that an element stands for.
constexpr float dequantize(int32_t element, float scale, int32_t zero_point) {
  return scale * static_cast<float>(element - zero_point);
}

}  // namespace opsmith
