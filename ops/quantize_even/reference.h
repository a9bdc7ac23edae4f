// Quantize even, the definition: the element nearest to x, halves to even, saturated; the least
// one for NaN.
#pragma once

#include "quantize_even.op.h"
#include "runtimes/core/rounding.h"

namespace opsmith::quantize_even {

template <class P>
inline int8_t element(const P& p, float x) {
  const float scale = static_cast<float>(p.y_scale);
  const float least = static_cast<float>(p.least);
  const float most = static_cast<float>(p.most);
  const float scaled = p.multiplied ? x * scale : x / scale;
  const float within = !(scaled > least) ? least : scaled > most ? most : scaled;
  return static_cast<int8_t>(round_half_even(within) + p.y_zero_point);
}

template <class P>
void reference(const P& p, const In<float, int8_t>& in, const Out<float, int8_t>& out) {
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = element(p, in.x[i]);
}

}  // namespace opsmith::quantize_even
