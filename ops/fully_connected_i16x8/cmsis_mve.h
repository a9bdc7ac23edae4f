// Needs Helium. Fast because VMLADAVA adds eight products at once, and each vector of inputs that
// is loaded serves four channels. Where sums may not fit 32 bits, VMLALDAVA adds them in 64.
#pragma once

#include "fully_connected_i16x8.op.h"
#include "runtimes/cmsis/mve_narrow.h"
#include "runtimes/core/exact_scale.h"

namespace opsmith::fully_connected_i16x8 {

// The sums of products as numbers.
inline const int8_t* four_sums(const int16_t* x, const int8_t* w, mve::Vectors size,
                               int32_t (&sums)[4]) {
  int32x4_t vector;
  w = mve::dot_products(x, w, size, vector);
  vstrwq_s32(sums, vector);
  return w;
}
inline const int8_t* four_sums(const int16_t* x, const int8_t* w, mve::Vectors size,
                               int64_t (&sums)[4]) {
  return mve::dot_products(x, w, size, sums);
}

template <class Sum, class C, class S>
void all_rows(const S& s, const int16_t* x, const int8_t* weights, const C* constants, int16_t* y) {
  const mve::Vectors size = mve::vectors(s.depth);
  for (int32_t row = 0; row < s.rows; ++row, x += s.depth) {
    const int8_t* w = weights;
    for (int32_t c = 0; c < s.channels; c += 4) {
      Sum sums[4];
      w = four_sums(x, w, size, sums);
      for (int32_t i = c; i < c + 4 && i < s.channels; ++i) {
        const int32_t scaled = requantize(sums[i - c], constants[i]);
        *y++ = static_cast<int16_t>(clamp(scaled, s.activation_min, s.activation_max));
      }
    }
  }
}

template <class S>
void fully_connected_i16x8_cmsis_mve(const S& s, const In& in, const Out& out,
                                     const MveTables& tables) {
  if (s.wide) {
    const auto* constants = reinterpret_cast<const Real*>(tables.requantization);
    all_rows<int64_t>(s, in.x, tables.weights, constants, out.y);
  } else {
    const auto* constants = reinterpret_cast<const Exact*>(tables.requantization);
    all_rows<int32_t>(s, in.x, tables.weights, constants, out.y);
  }
}

}  // namespace opsmith::fully_connected_i16x8
