// Fused activations of floats. Freestanding C++17.
#pragma once

namespace opsmith {

// Within these bounds; NaN and the sign of zero stay as they are.
constexpr float real_clamp(float x, float low, float high) {
  if (low == -high && __builtin_fabsf(x) <= high) return x;
  return x < low ? low : x > high ? high : x;
}

}  // namespace opsmith
