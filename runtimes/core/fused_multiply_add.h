// The sum of a product and a double, rounded once as by a fused multiply-add, of which cores
// without one need about 35 operations. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith {

// A double and what rounding took from it.
struct Unrounded {
  double value;
  double rest;
};

inline Unrounded exact_sum(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

// The 26 upper bits of the significand, and the lower ones.
inline Unrounded halves(double x) {
  const double moved = x * 134217729.0;  // 2^27 + 1
  const double high = moved - (moved - x);
  return {high, x - high};
}

inline Unrounded exact_product(double a, double b) {
  const double product = a * b;
  const Unrounded x = halves(a), y = halves(b);
  const double low = ((x.value * y.value - product) + x.value * y.rest) + x.rest * y.value;
  return {product, low + x.rest * y.rest};
}

// a + b, of both neighbours of an inexact sum the one whose last bit is set: rounding that again
// is as rounding the exact sum.
inline double odd_sum(double a, double b) {
  const Unrounded sum = exact_sum(a, b);
  uint64_t bits;
  memcpy(&bits, &sum.value, sizeof bits);
  if (sum.rest == 0 || (bits & 1) != 0) return sum.value;
  bits = (sum.rest > 0) == (sum.value > 0) ? bits + 1 : bits - 1;
  double odd;
  memcpy(&odd, &bits, sizeof odd);
  return odd;
}

// a * b + c (S. Boldo, G. Melquiond: Emulation of FMA and correctly rounded sums, 2008), where
// nothing overflows or becomes subnormal.
inline double fused_multiply_add(double a, double b, double c) {
  const Unrounded product = exact_product(a, b);
  const Unrounded low = exact_sum(c, product.rest);
  const Unrounded high = exact_sum(product.value, low.value);
  return high.value + odd_sum(low.rest, high.rest);
}

}  // namespace opsmith
