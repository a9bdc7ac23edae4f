// ComplexAbs, the definition (tensorflow/lite/kernels/complex_support.cc, glibc's hypotf).
#pragma once

#include <stdint.h>
#include <string.h>

#include "complex_abs.op.h"
#include "runtimes/core/float_bits.h"

namespace opsmith::complex_abs {

// The first bits of a root, and what is left of the square.
struct Root {
  uint32_t root = 0;
  uint32_t rest = 0;

  // Adds a bit of the root for each two of the square, which begin with the highest.
  void add(uint32_t square, int32_t count) {
    for (; count > 0; --count, square <<= 2) {
      rest = rest << 2 | square >> 30;
      const uint32_t trial = root << 2 | 1;
      root <<= 1;
      if (trial <= rest) {
        rest -= trial;
        root |= 1;
      }
    }
  }
};

// The root of a positive double that is not subnormal, rounded to double and then to float: 25 bits
// are computed, and only a root next to a half between two floats is first rounded to the half.
inline float rounded_root(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int32_t exponent = static_cast<int32_t>(bits >> 52) - 1023;
  const int32_t odd = exponent & 1, half_of_exponent = (exponent - odd) / 2;
  const uint64_t square = ((bits & 0x000fffffffffffffu) | 0x0010000000000000u) << odd;
  const uint64_t whole = square >> 4;  // 50 bits, of which 4 follow
  const uint32_t after = static_cast<uint32_t>(square) & 15;
  Root found;
  found.add(static_cast<uint32_t>(whole >> 32) << 14, 9);
  found.add(static_cast<uint32_t>(whole), 16);
  uint32_t root = found.root;
  bool more = (found.rest | after) != 0;
  if (odd == 0 && found.rest == 0 && after == 1) more = false;
  if (odd == 0 && found.rest == 2 * root && after == 15) {
    root += 1;
    more = false;
  }
  const int32_t lost = half_of_exponent < -126 ? -125 - half_of_exponent : 1;
  const uint32_t kept = root >> lost, tail = root - (kept << lost), half = 1u << (lost - 1);
  const bool up = tail > half || (tail == half && (more || (kept & 1) != 0));
  const uint32_t biased =
      half_of_exponent < -126 ? 0 : static_cast<uint32_t>(half_of_exponent + 126);
  return biased > 253 ? kInfinity : float_of((biased << 23) + kept + (up ? 1 : 0));
}

inline float magnitude(float real, float imaginary) {
  if (__builtin_fabsf(real) == kInfinity || __builtin_fabsf(imaginary) == kInfinity) {
    return kInfinity;
  }
  const double a = real, b = imaginary;
  const double squares = a * a + b * b;
  return squares > 0 ? rounded_root(squares) : static_cast<float>(squares);
}

template <class P>
void reference(const P& p, const In& in, const Out& out) {
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = magnitude(in.x[2 * i], in.x[2 * i + 1]);
}

}  // namespace opsmith::complex_abs
