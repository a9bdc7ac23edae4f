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

// Of elements of T, by the rule, zero point and bounds of a layer; uint8 is as int8 until the end.
template <class T, class P>
Outputs outputs_of(const P& p) {
  constexpr int32_t kLess = T(-1) > 0 ? 128 : 0;
  return {p.rule, p.output_zero_point - kLess, p.activation_min - kLess, p.activation_max - kLess};
}

// Makes elements of bytes that are as outputs_of says.
inline void finish(int8_t*, int32_t) {}
inline void finish(uint8_t* y, int32_t count) {
  for (int32_t i = 0; i < count; ++i) y[i] ^= 128;
}

}  // namespace opsmith::simd
