// Multiplication of 32-bit sums by a real number, rounded as in double precision, with integers
// alone. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// A real number as toolchain/op/exact_scale.py makes it: (high * 2^32 + low) / 2^(65 + shift).
struct ExactScale {
  uint32_t low;
  uint32_t high;
  int32_t shift;
};

// round(sum * scale), ties away from zero.
constexpr int32_t scaled(int32_t sum, const ExactScale& scale) {
  const int32_t sign = sum >> 31;
  const uint32_t magnitude = static_cast<uint32_t>(sum ^ sign) - static_cast<uint32_t>(sign);
  const uint64_t carried = uint64_t{magnitude} * scale.low >> 32;
  const uint64_t product = uint64_t{magnitude} * scale.high + carried;
  const uint32_t twice = static_cast<uint32_t>(product >> 32) >> scale.shift;
  return (static_cast<int32_t>((twice + 1) >> 1) ^ sign) - sign;
}

}  // namespace opsmith
