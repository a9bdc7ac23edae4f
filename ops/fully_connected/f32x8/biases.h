// Outputs of rows of zeros, whose sums LiteRT does not add.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/core/dynamic_range.h"
#include "runtimes/core/vector_activation.h"

namespace opsmith::fully_connected::f32x8 {

// Writes biases alone where all of x is zero and some bias is -0, which a sum would change.
// bias(c): that of channel c.
template <class P, class Bias>
bool only_biases(const P& p, const float* x, Bias bias, float* y) {
  if (!p.negative_zero || !all_zero(x, p.rows * p.depth)) return false;
  for (int32_t i = 0; i < p.rows * p.channels; ++i) {
    y[i] = activated(p.activation, bias(i % p.channels));
  }
  return true;
}

}  // namespace opsmith::fully_connected::f32x8
