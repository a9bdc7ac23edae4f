// Atan2, the definition (atan2f of glibc 2.29 to 2.40: e_atan2f.c and s_atanf.c of flt-32).
#pragma once

#include "atan2.op.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/float_bits.h"

namespace opsmith::atan2 {

inline constexpr float kPi = 0x1.921fb6p1f;
inline constexpr float kPiLow = -0x1.777a5cp-24f;
inline constexpr float kSteep = 0x1p25f;  // a tangent from which on angles are right ones

// Tangents up to `below`. Among them is m / n, whose angle is high + low.
struct Part {
  float below;
  float n;
  float m;
  float high;
  float low;
};

inline constexpr Part kParts[] = {
    {0.4375f, 1.0f, 0.0f, 0.0f, 0.0f},
    {0.6875f, 2.0f, 1.0f, 0x1.dac67p-2f, 0x1.586ed2p-28f},
    {1.1875f, 1.0f, 1.0f, 0x1.921fb4p-1f, 0x1.4442dp-25f},
    {2.4375f, 1.0f, 1.5f, 0x1.f730bcp-1f, 0x1.281f68p-25f},
    {kSteep, 0.0f, 1.0f, 0x1.921fb4p0f, 0x1.4442dp-24f},
};

// The angle whose tangent is x, which is not below 0.
inline float arctangent(float x) {
  if (x >= kSteep) return kPi / 2;
  const Part* part = kParts;
  while (x >= part->below) ++part;
  const float rest = (part->n * x - part->m) / (part->m * x + part->n);
  const float z = rest * rest;
  const float w = z * z;
  const float odd =
      0x1.555556p-2f +
      w * (0x1.24924ap-3f +
           w * (0x1.745cdcp-4f + w * (0x1.10d66ap-4f + w * (0x1.97b4b2p-5f + w * 0x1.0ad3aep-6f))));
  const float even =
      -0x1.99999ap-3f +
      w * (-0x1.c71c7p-4f + w * (-0x1.3b0f2ap-4f + w * (-0x1.dde2d6p-5f + w * -0x1.2b4442p-5f)));
  return part->high - ((rest * (z * odd + w * even) - part->low) - rest);
}

// The angle to a point with no coordinate below 0, or to its mirror image at the y axis.
inline float from_axis(float y, float x, bool mirrored) {
  const bool endless = x == kInfinity;
  if (x == 0 ? y != 0 : y == kInfinity && !endless) return kPi / 2;
  const float found = arctangent(y == 0 ? 0.0f : y == kInfinity ? 1.0f : y / x);
  return mirrored ? kPi - (found - kPiLow) : found;
}

inline float angle(float y, float x) {
  if (y != y || x != x) return x + y;
  const bool mirrored = bits_of(x) >> 31 != 0;
  return with_sign(from_axis(with_sign(y, 1.0f), with_sign(x, 1.0f), mirrored), y);
}

template <class P>
void reference(const P& p, const In<float>& in, const Out<float>& out) {
  for_each_pair(p, in.a, in.b, out.y, angle);
}

}  // namespace opsmith::atan2
