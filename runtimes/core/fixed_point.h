// Fixed-point arithmetic with the rounding of TFLite's reference kernels
// (tensorflow/lite/kernels/internal/common.h, Q31 double rounding). Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

constexpr int32_t min(int32_t a, int32_t b) { return a < b ? a : b; }
constexpr int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }
constexpr int32_t clamp(int32_t x, int32_t low, int32_t high) { return min(max(x, low), high); }

// x * 2^n for n in [0, 31], wrapping; a left shift of a negative value is undefined in C++17.
constexpr int32_t shift_left(int32_t x, int32_t n) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << n);
}

// round(a * b / 2^32), ties up.
constexpr int32_t rounded_high_product(int32_t a, int32_t b) {
  const int64_t product = static_cast<int64_t>(a) * b;
  const uint32_t low = static_cast<uint32_t>(product);
  return static_cast<int32_t>(product >> 32) + static_cast<int32_t>(low >> 31);
}
constexpr uint32_t rounded_high_product(uint32_t a, uint32_t b) {
  const uint64_t product = static_cast<uint64_t>(a) * b;
  return static_cast<uint32_t>(product >> 32) + (static_cast<uint32_t>(product) >> 31);
}

// round(a * b / 2^31), ties up. The one overflow, both -2^31, saturates.
constexpr int32_t doubling_high_mul(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + (1 << 30)) >> 31);
}

// x / 2^exponent, rounded to nearest, ties away from zero; exponent in [0, 31], x above -2^31.
constexpr int32_t rounding_divide_by_pot(int32_t x, int32_t exponent) {
  const int32_t half = static_cast<int32_t>(uint32_t{1} << exponent >> 1);
  const int32_t lowered = x + (x >> 31);
  return exponent == 0 ? x : (lowered >> exponent) + ((lowered & half) != 0 ? 1 : 0);
}

// The same of x >= 0.
constexpr int32_t rounding_shift_right(int32_t x, int32_t exponent) {
  return static_cast<int32_t>((static_cast<uint32_t>(x) + (uint32_t{1} << exponent >> 1)) >>
                              exponent);
}

// x * multiplier * 2^(shift - 31), rounded twice; shift in [-31, 31].
constexpr int32_t multiply_by_quantized_multiplier(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  return rounding_divide_by_pot(doubling_high_mul(shift_left(x, left), multiplier), right);
}

}  // namespace opsmith
