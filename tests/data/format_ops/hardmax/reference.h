// Hardmax, the definition.
#pragma once

#include "hardmax.op.h"

namespace opsmith::hardmax {

template <class P>
void reference(const P& p, const In& in, const Out& out) {
  for (int32_t i = 0; i < p.outer * p.inner; ++i) {
    const int32_t start = i / p.inner * p.count * p.inner + i % p.inner;
    int32_t greatest = 0;
    for (int32_t k = 1; k < p.count; ++k) {
      if (in.x[start + k * p.inner] > in.x[start + greatest * p.inner]) greatest = k;
    }
    for (int32_t k = 0; k < p.count; ++k) {
      out.y[start + k * p.inner] = k == greatest ? 1.0f : 0.0f;
    }
  }
}

}  // namespace opsmith::hardmax
