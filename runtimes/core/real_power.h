// x^y of float32, with the bits of glibc's powf on processors with FMA: 2^(y log2(x)) in double
// precision, by the tables of expf and logf. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/float_bits.h"
#include "runtimes/core/fused_multiply_add.h"
#include "runtimes/core/real_exponential.h"
#include "runtimes/core/real_logarithm.h"

namespace opsmith {

// log2 of what kLogarithms has the reciprocals of.
inline constexpr double kBinaryLogarithms[16] = {
    -0x1.efec65b963019p-2, -0x1.b0b6832d4fca4p-2,
    -0x1.7418b0a1fb77bp-2, -0x1.39de91a6dcf7bp-2,
    -0x1.01d9bf3f2b631p-2, -0x1.97c1d1b3b7afp-3,
    -0x1.2f9e393af3c9fp-3, -0x1.960cbbf788d5cp-4,
    -0x1.a6f9db6475fcep-5, 0x0p+0,
    0x1.338ca9f24f53dp-4,  0x1.476a9543891bap-3,
    0x1.e840b4ac4e4d2p-3,  0x1.40645f0c6651cp-2,
    0x1.88e9c2c1b9ff8p-2,  0x1.ce0a44eb17bccp-2,
};

inline double product_and_sum(double a, double b, double c) { return a * b + c; }

// log2 of a positive float; product_sum(a, b, c) is a * b + c.
template <class F>
double binary_logarithm(float x, F product_sum) {
  const bool subnormal = x < 0x1p-126f;
  const uint32_t bits = bits_of(subnormal ? x * 0x1p23f : x);
  const uint32_t from_least = bits - 0x3f330000u;  // the bits of 0.7
  const int32_t i = from_least >> 19 & 15;
  const int32_t power = (static_cast<int32_t>(from_least) >> 23) - (subnormal ? 23 : 0);
  const float mantissa = float_of(bits - (from_least & 0xff800000u));
  const double r = product_sum(mantissa, kLogarithms[i].reciprocal, -1.0);
  const double square = r * r;
  const double high = product_sum(0x1.27616c9496e0bp-2, r, -0x1.71969a075c67ap-2);
  const double middle = product_sum(0x1.ec70a6ca7baddp-2, r, -0x1.7154748bef6c8p-1);
  const double low = product_sum(0x1.71547652ab82bp0, r, kBinaryLogarithms[i] + power);
  return product_sum(high, square * square, product_sum(middle, square, low));
}

// x^y for x > 0, both finite and y not 0: any number beyond float32 where that has none.
template <class F>
double positive_power(float x, float y, F product_sum) {
  constexpr double shift = 0x1.8p+47;  // to which adding leaves multiples of 1 / 32
  const double exponent = static_cast<double>(y) * binary_logarithm(x, product_sum);
  if (exponent > 129.0) return 0x1p129;
  if (exponent < -151.0) return 0.0;
  const double nearest = (exponent + shift) - shift;
  const double rest = exponent - nearest;
  const double cubic = product_sum(0x1.c6af84b912394p-5, rest, 0x1.ebfce50fac4f3p-3);
  const double linear = product_sum(0x1.62e42ff0c52d6p-1, rest, 1.0);
  const double power = root_power_of_two(static_cast<int32_t>(nearest * kRootSteps));
  return product_sum(cubic, rest * rest, linear) * power;
}

// Products that are rounded before they are added change the double by less than 2^-32 of it, which
// gives another float only near the middle between two: there they are fused.
inline float real_positive_power(float x, float y) {
  const double found = positive_power(x, y, product_and_sum);
  const float low = static_cast<float>(found * (1 - 0x1p-32));
  const bool certain = low == static_cast<float>(found * (1 + 0x1p-32));
  return certain ? low : static_cast<float>(positive_power(x, y, fused_multiply_add));
}

// 1 where y is odd, 2 where it is even or infinite, 0 where it is no integer.
inline int32_t parity(float y) {
  const float size = with_sign(y, 1.0f);
  if (size >= 0x1p24f) return 2;
  const int32_t whole = static_cast<int32_t>(size);
  if (static_cast<float>(whole) != size) return 0;
  return (whole & 1) != 0 ? 1 : 2;
}

// x^y; of a negative number and no integer NaN with a sign, as x86 has it.
inline float real_power(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (y != y) return x + y;
  const int32_t kind = parity(y);
  if (x != x) return kind == 1 ? with_sign(x + y, 1.0f) : x + y;
  const float size = with_sign(x, 1.0f);
  float found;
  if (size == 0.0f || size == kInfinity || with_sign(y, 1.0f) == kInfinity) {
    found = size == 1.0f ? 1.0f : (size > 1.0f) == (y > 0.0f) ? kInfinity : 0.0f;
  } else {
    if (x < 0.0f && kind == 0) return -kNaN;
    found = real_positive_power(size, y);
  }
  return kind == 1 ? with_sign(found, x) : found;
}

}  // namespace opsmith
