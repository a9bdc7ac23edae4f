// Pow, the definition (tensorflow/lite/kernels/pow.cc).
#pragma once

#include "pow.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/real_clamp.h"
#include "runtimes/core/real_power.h"
#include "runtimes/core/rounding.h"

namespace opsmith::pow {

// By squaring, modulo 2^32.
constexpr int32_t wrapped(int32_t base, int32_t exponent) {
  uint32_t y = 1;
  for (uint32_t square = static_cast<uint32_t>(base); exponent; exponent >>= 1, square *= square) {
    if (exponent & 1) y *= square;
  }
  return static_cast<int32_t>(y);
}

// The power, or the least int32 where none holds it.
constexpr int32_t limited(int32_t base, int32_t exponent) {
  if (base >= -1 && base <= 1) return wrapped(base, exponent);
  int64_t y = 1;
  for (; exponent > 0; --exponent) {
    y *= base;
    if (y > INT32_MAX || y < INT32_MIN) return INT32_MIN;
  }
  return static_cast<int32_t>(y);
}

template <class P>
void reference(const P& p, const In<int32_t>& in, const Out<int32_t>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](int32_t base, int32_t exponent) {
    if (exponent < 0) return int32_t{0};
    return p.single ? wrapped(base, exponent) : limited(base, exponent);
  });
}

// The integer that LiteRT takes a single exponent for, or 0.
inline int32_t whole_exponent(float exponent) {
  if (!(exponent >= 0.5f && exponent < 0x1p31f)) return 0;
  const int32_t whole = round_half_away(exponent);
  return with_sign(exponent - static_cast<float>(whole), 1.0f) < 1e-5f ? whole : 0;
}

// Products of floats, each finite or NaN; the exponent is at least 1.
inline float by_squaring(float base, int32_t exponent) {
  const auto product = [](float a, float b) {
    return real_clamp(a * b, -0x1.fffffep127f, 0x1.fffffep127f);
  };
  int32_t bit = 1;
  while (bit <= exponent / 2) bit *= 2;
  float y = base;
  while ((bit /= 2) != 0) {
    y = product(y, y);
    if (exponent & bit) y = product(base, y);
  }
  return y;
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  const int32_t whole = p.single ? whole_exponent(in.b[0]) : 0;
  for_each_pair(p, in.a, in.b, out.y, [whole](float base, float exponent) {
    return whole != 0 ? by_squaring(base, whole) : real_power(base, exponent);
  });
}

}  // namespace opsmith::pow
