// Needs Helium. Fast because VMLADAVA adds eight products at once, and each vector of inputs that
// is loaded serves four channels. Where sums may not fit 32 bits, VMLALDAVA adds them in 64.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/mve_narrow.h"
#include "runtimes/core/exact_scale.h"

namespace opsmith::fully_connected::i16x8 {

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

template <class Sum, class C, class P>
void all_rows(const P& p, const int16_t* x, const int8_t* weights, const C* constants, int16_t* y) {
  const mve::Vectors size = mve::vectors(p.depth);
  for (int32_t row = 0; row < p.rows; ++row, x += p.depth) {
    const int8_t* w = weights;
    for (int32_t c = 0; c < p.channels; c += 4) {
      Sum sums[4];
      w = four_sums(x, w, size, sums);
      for (int32_t i = c; i < c + 4 && i < p.channels; ++i) {
        const int32_t scaled = requantize(sums[i - c], constants[i]);
        *y++ = static_cast<int16_t>(clamp(scaled, p.activation_min, p.activation_max));
      }
    }
  }
}

template <class P>
void mve(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Packed& tables) {
  if (p.wide) {
    const auto* constants = reinterpret_cast<const Real*>(tables.requantization);
    all_rows<int64_t>(p, in.x, tables.weights, constants, out.y);
  } else {
    const auto* constants = reinterpret_cast<const Exact*>(tables.requantization);
    all_rows<int32_t>(p, in.x, tables.weights, constants, out.y);
  }
}

}  // namespace opsmith::fully_connected::i16x8
