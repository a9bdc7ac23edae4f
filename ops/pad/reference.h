// Pad, the definition (tensorflow/lite/kernels/internal/reference/pad.h).
#pragma once

#include <string.h>

#include "pad.op.h"

namespace opsmith::pad {

// Whether position i of y along an axis lies in x.
template <class P>
constexpr bool inside(const P& p, int32_t axis, int32_t i) {
  return i >= p.before[axis] && i < p.before[axis] + p.x_size[axis];
}

// Row by row along the last axis.
template <class P>
void pad_i8_reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const size_t row = static_cast<size_t>(p.x_size[4]);
  const size_t left = static_cast<size_t>(p.before[4]);
  const size_t padded_row = static_cast<size_t>(p.y_size[4]);
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t i0 = 0; i0 < p.y_size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.y_size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.y_size[2]; ++i2) {
        for (int32_t i3 = 0; i3 < p.y_size[3]; ++i3) {
          if (inside(p, 0, i0) && inside(p, 1, i1) && inside(p, 2, i2) && inside(p, 3, i3)) {
            memset(y, p.value, left);
            memcpy(y + left, x, row);
            memset(y + left + row, p.value, padded_row - left - row);
            x += row;
          } else {
            memset(y, p.value, padded_row);
          }
          y += padded_row;
        }
      }
    }
  }
}

}  // namespace opsmith::pad
