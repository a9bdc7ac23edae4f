// Elements to and from the doubles they represent, for definitions that are written to be read;
// slow where the core has no double-precision FPU. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/rounding.h"

namespace opsmith {

// Whether T is float or double.
template <class T>
constexpr bool is_real() {
  return static_cast<T>(0.5) != static_cast<T>(0);
}

// The element without its zero point: a double in units of the scale.
template <class T>
constexpr double units(T element, int32_t zero_point) {
  return is_real<T>() ? static_cast<double>(element)
                      : static_cast<double>(element) - static_cast<double>(zero_point);
}

// The value that an element represents.
template <class T>
constexpr double to_real(T element, double scale, int32_t zero_point) {
  return is_real<T>() ? static_cast<double>(element) : units(element, zero_point) * scale;
}

// The nearest element, ties away from zero, saturated; the lowest for NaN. T has up to 32 bits, or
// is float or double, which scale and zero point do not concern. 32 bits have zero point 0.
template <class T>
T from_real(double real, double scale, int32_t zero_point) {
  if constexpr (is_real<T>()) {
    return static_cast<T>(real);
  } else {
    constexpr bool has_sign = static_cast<T>(-1) < static_cast<T>(0);
    constexpr int64_t high = (int64_t{1} << (8 * sizeof(T) - (has_sign ? 1 : 0))) - 1;
    constexpr int64_t low = has_sign ? -high - 1 : 0;
    const double scaled = real / scale;
    if (!(scaled > static_cast<double>(low - zero_point))) return static_cast<T>(low);
    if (scaled >= static_cast<double>(high - zero_point)) return static_cast<T>(high);
    return static_cast<T>(round_half_away(scaled) + zero_point);
  }
}

}  // namespace opsmith
