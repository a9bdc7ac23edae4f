// Quantize even, the definition: the element nearest to x, halves to even, saturated; the least
// one for NaN.
#pragma once

#include "quantize_even.op.h"
#include "runtimes/core/rounding.h"

namespace opsmith::quantize_even {

template <class P>
void reference(const P& p, const In<float, int8_t>& in, const Out<float, int8_t>& out) {
  const float scale = static_cast<float>(p.y_scale);
  const float least = static_cast<float>(p.least);
  const float most = static_cast<float>(p.most);
  for (int32_t i = 0; i < p.elements; ++i) {
    const float scaled = p.multiplied ? in.x[i] * scale : in.x[i] / scale;
    const float within = !(scaled > least) ? least : scaled > most ? most : scaled;
    out.y[i] = static_cast<int8_t>(round_half_even(within) + p.y_zero_point);
  }
}

}  // namespace opsmith::quantize_even
