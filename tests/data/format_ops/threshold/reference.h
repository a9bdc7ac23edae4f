// Threshold, the definition.
#pragma once

#include "threshold.op.h"

namespace opsmith::threshold {

template <class P>
void reference(const P& p, const In& in, const Out& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const float x = in.x[i];
    out.y[i] = x <= static_cast<float>(p.threshold) ? static_cast<float>(p.value) : x;
  }
}

}  // namespace opsmith::threshold
