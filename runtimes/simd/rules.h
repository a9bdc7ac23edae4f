// Rules by which sums of layers of int8 become outputs, and their bounds. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith::simd {

// In the order of requantization.py, which says what constants each has.
enum Rule : int32_t { kFixedPoint, kSingle, kDouble };

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

// `sums`, in order of the constants, as outputs without their zero point.
template <class V>
typename V::Sums requantized(const Outputs& o, typename V::Sums sums, const int32_t* constants) {
  if (o.rule == kFixedPoint) return V::by_fixed_point(sums, constants);
  if (o.rule == kSingle) return V::by_singles(sums, constants);
  return V::by_doubles(sums, constants);
}

}  // namespace opsmith::simd
