// Fused activations of floats. Freestanding C++17.
#pragma once

namespace opsmith {

// Within these bounds, which are floats; NaN and the sign of zero stay as they are.
constexpr float real_clamp(float x, double lowest, double highest) {
  const float low = static_cast<float>(lowest), high = static_cast<float>(highest);
  if (low == -high && __builtin_fabsf(x) <= high) return x;
  return x < low ? low : x > high ? high : x;
}

}  // namespace opsmith
