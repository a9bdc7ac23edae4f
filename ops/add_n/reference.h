// AddN, the definition (tensorflow/lite/kernels/internal/reference/add_n.h).
#pragma once

#include "add_n.op.h"
#include "runtimes/core/limits.h"
#include "runtimes/families/byte_sums.h"

namespace opsmith::add_n {

// No sum is infinite: LiteRT adds by a kernel with an activation, whose range is that of floats.
constexpr float sum(float a, float b) {
  const float y = a + b;
  if (y > Limits<float>::kHigh) return Limits<float>::kHigh;
  if (y < Limits<float>::kLow) return Limits<float>::kLow;
  return y;
}

// Wraps.
constexpr int32_t sum(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    T y = in.x[0][i];
    for (int32_t j = 1; j < p.count; ++j) y = sum(y, in.x[j][i]);
    out.y[i] = y;
  }
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    int32_t y = byte_sums::first(p);
    for (int32_t j = 0; j < p.count; ++j) y += in.x[j][i] - p.x_zero_point;
    out.y[i] = byte_sums::rescaled(p, y);
  }
}

}  // namespace opsmith::add_n
