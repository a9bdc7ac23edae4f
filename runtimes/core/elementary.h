// Elementary functions of float32 in single precision, for kernels that need not have LiteRT's last
// bits: the same bits on every core, with errors below 2 units in the last place. Freestanding
// C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/float_bits.h"
#include "runtimes/core/quarter_turns.h"

namespace opsmith {

inline constexpr float kLog2High = 0.693359375f;  // log(2) in two parts; the first has 10 bits
inline constexpr float kLog2Low = -2.12194440e-4f;

// x * 2^n for n in [-252, 254], rounded once.
inline float scaled(float x, int32_t n) {
  return x * power_of_two(n / 2) * power_of_two(n - n / 2);
}

// x = powers * log(2) + rest, where |rest| is at most about log(2) / 2; |x| is below 128.
struct ReducedExponent {
  int32_t powers;
  float rest;

  explicit ReducedExponent(float x) {
    constexpr float whole = 12582912.0f;  // 1.5 * 2^23, to which adding leaves no fraction
    const float nearest = (x * 1.44269504f + whole) - whole;
    powers = static_cast<int32_t>(nearest);
    rest = (x - nearest * kLog2High) - nearest * kLog2Low;
  }

  // exp(rest) - 1, by Taylor's series.
  float exponential_minus_one() const {
    const float r = rest;
    float sum = 1.0f / 5040;
    sum = sum * r + 1.0f / 720;
    sum = sum * r + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    return sum * (r * r) + r;
  }
};

// exp(x)
inline float exponential(float x) {
  if (x != x) return x;
  if (x > 89.0f) return kInfinity;
  if (x < -104.0f) return 0.0f;
  const ReducedExponent reduced(x);
  return scaled(1.0f + reduced.exponential_minus_one(), reduced.powers);
}

// log(x), of a product of a power of two and 1 + f: log(1 + f) = 2 atanh(f / (2 + f)), by its
// series.
inline float logarithm(float x) {
  if (x != x) return x;
  if (x < 0.0f) return kNaN;
  if (x == 0.0f) return -kInfinity;
  if (x == kInfinity) return x;
  const bool subnormal = x < power_of_two(-126);
  const uint32_t bits = bits_of(subnormal ? x * power_of_two(25) : x);
  const uint32_t from_root = bits - 0x3f3504f3u;  // of sqrt(1 / 2): its exponent is that of 1 + f
  const int32_t exponent = static_cast<int32_t>(from_root) >> 23;
  const float f = float_of((from_root & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  float series = 2.0f / 11;
  series = series * z + 2.0f / 9;
  series = series * z + 2.0f / 7;
  series = series * z + 2.0f / 5;
  series = series * z + 2.0f / 3;
  const float half_square = 0.5f * f * f;
  const float powers = static_cast<float>(subnormal ? exponent - 25 : exponent);
  const float low = s * (half_square + series * z) + powers * kLog2Low;
  return powers * kLog2High - ((half_square - low) - f);
}

// An angle of at least 0, as quadrants and a rest of at most pi / 4, whichever its sign and size.
struct ReducedAngle {
  int32_t quadrants = 0;  // modulo 4
  float rest;

  explicit ReducedAngle(float angle) : rest(angle) {
    if (angle < 0.785398163f) return;
    const QuarterTurns turns(angle);
    quadrants = turns.whole;
    rest = static_cast<float>(turns.fraction) * 3.40612162e-19f;  // pi / 2 * 2^-62
  }

  float sine() const {
    const float z = rest * rest;
    float sum = 1.0f / 362880;
    sum = sum * z - 1.0f / 5040;
    sum = sum * z + 1.0f / 120;
    sum = sum * z - 1.0f / 6;
    return sum * (z * rest) + rest;
  }

  float cosine() const {
    const float z = rest * rest;
    float sum = -1.0f / 3628800;
    sum = sum * z + 1.0f / 40320;
    sum = sum * z - 1.0f / 720;
    sum = sum * z + 1.0f / 24;
    const float half = 0.5f * z;
    const float first = 1.0f - half;
    return first + (((1.0f - first) - half) + sum * (z * z));
  }

  // The sine of the angle plus N right angles.
  float sine_after(int32_t more) const {
    const int32_t all = quadrants + more;
    const float found = (all & 1) != 0 ? cosine() : sine();
    return (all & 2) != 0 ? -found : found;
  }
};

// sin(x)
inline float sine(float x) {
  const float angle = with_sign(x, 1.0f);
  if (!(angle < kInfinity)) return kNaN;
  const float found = ReducedAngle(angle).sine_after(0);
  return x < 0.0f ? -found : x == 0.0f ? x : found;
}

// cos(x)
inline float cosine(float x) {
  const float angle = with_sign(x, 1.0f);
  return angle < kInfinity ? ReducedAngle(angle).sine_after(1) : kNaN;
}

}  // namespace opsmith
