// Rules by which sums of layers of int8 become outputs, and their bounds. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith::simd {

// In the order of requantization.py, which says what constants each has.
enum Rule : int32_t { kFixedPoint, kSingle, kDouble, kMagnitude };

inline constexpr int32_t kConstants = 4;  // words of a channel, for any rule

// Truncating x plus this, with the sign of x, rounds to the nearest, halves away from zero: 0.5
// would take the double below a half up.
inline constexpr double kBelowHalf = 0.49999999999999994;

struct Outputs {
  int32_t rule;
  int32_t zero_point;
  int32_t low;
  int32_t high;
};

}  // namespace opsmith::simd
