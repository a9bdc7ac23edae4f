// Sqrt of int16, the definition.
#pragma once

#include "runtimes/core/square_root.h"
#include "runtimes/families/unary.h"
#include "sqrt.op.h"

namespace opsmith::sqrt {

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  const float x_scale = static_cast<float>(p.x_scale);
  const float y_scale = static_cast<float>(p.y_scale);
  unary::of_each(p, in.x, out.y, [x_scale, y_scale](int32_t x) {
    const float units = x > 0 ? square_root(x_scale * static_cast<float>(x)) / y_scale : 0.0f;
    return units < 32767.0f ? static_cast<int16_t>(units) : int16_t{INT16_MAX};
  });
}

}  // namespace opsmith::sqrt
