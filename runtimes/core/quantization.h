// Quantised elements: value = scale * (element - zero_point). Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// The element nearest to a value, ties away from zero, saturated to [low, high]; low for NaN.
template <class T>
constexpr T nearest_element(float real, float scale, int32_t zero_point, int32_t low,
                            int32_t high) {
  const float scaled = real / scale;
  if (!(scaled > static_cast<float>(low) - static_cast<float>(zero_point)))
    return static_cast<T>(low);
  if (scaled >= static_cast<float>(high) - static_cast<float>(zero_point)) {
    return static_cast<T>(high);
  }
  // The float below 0.5: a sum with 0.5 would round up where the rest is the float below a half.
  constexpr float kHalf = 0.49999997f;
  return static_cast<T>(static_cast<int32_t>(scaled + (scaled < 0.0f ? -kHalf : kHalf)) +
                        zero_point);
}

// The value that an element stands for.
constexpr float real_value(int32_t element, float scale, int32_t zero_point) {
  return scale * static_cast<float>(element - zero_point);
}

}  // namespace opsmith
