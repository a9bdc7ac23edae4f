// sin(x) and cos(x) of float32, with the bits of glibc's sinf and cosf (x86-64 with FMA): the rest
// of a division by pi / 2, and two polynomials in double precision. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/float_bits.h"
#include "runtimes/core/quarter_turns.h"

namespace opsmith {

// An angle as quadrants and a rest of about pi / 4 at most.
struct RealAngle {
  int32_t quadrants;
  double rest;
};

// Of an angle below 120. The product with pi / 2 is subtracted in two parts of 40 and 13 bits, so
// that only the last subtraction rounds.
inline RealAngle small_angle(float x) {
  const int32_t fixed = static_cast<int32_t>(x * 0x1.45f306dc9c883p+23);  // Q24 of x / (pi / 2)
  const int32_t quadrants = (fixed + 0x800000) >> 24;
  return {quadrants, (x - quadrants * 0x1.921fb54440p+0) - quadrants * 0x1.68cp-39};
}

// Of an angle from 2 on.
inline RealAngle large_angle(float x) {
  const QuarterTurns turns(x);
  const double rest = static_cast<double>(turns.fraction) * 0x1.921fb54442d18p-62;  // pi / 2, Q62
  return x < 0 ? RealAngle{-turns.whole, -rest} : RealAngle{turns.whole, rest};
}

// The sine of the angle x plus N right angles.
inline float sine_after(float x, int32_t more) {
  const float size = with_sign(x, 1.0f);
  if (!(size < kInfinity)) return x != x ? x + x : -kNaN;
  const RealAngle angle = size < 120.0f ? small_angle(x) : large_angle(x);
  const int32_t quadrants = angle.quadrants + more;
  const double r = angle.rest, square = r * r;
  double found;
  if ((quadrants & 1) != 0) {
    const double low = -0x1.6c087e89a359dp-10 + square * 0x1.99343027bf8c3p-16;
    const double high =
        (1.0 + square * -0x1.ffffffd0c621cp-2) + (square * square) * 0x1.55553e1068f19p-5;
    found = high + (square * square) * square * low;
  } else {
    const double cube = r * square;
    const double low = 0x1.1107605230bc4p-7 + square * -0x1.994eb3774cf24p-13;
    found = (r + cube * -0x1.555545995a603p-3) + cube * square * low;
  }
  return static_cast<float>((quadrants & 2) != 0 ? -found : found);
}

// sin(x)
inline float real_sine(float x) { return with_sign(x, 1.0f) < 0x1p-12f ? x : sine_after(x, 0); }

// cos(x)
inline float real_cosine(float x) { return sine_after(x, 1); }

}  // namespace opsmith
