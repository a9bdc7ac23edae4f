// Pad, the definition (tensorflow/lite/kernels/internal/reference/pad.h).
#pragma once

#include <string.h>

#include "pad.op.h"

namespace opsmith::pad {

// Whether position i of y along an axis lies in x.
template <class S>
constexpr bool inside(const S& s, int32_t axis, int32_t i) {
  return i >= s.before[axis] && i < s.before[axis] + s.x_size[axis];
}

// Row by row along the last axis.
template <class S>
void pad_i8_reference(const S& s, const In<int8_t>& in, const Out<int8_t>& out) {
  const size_t row = static_cast<size_t>(s.x_size[4]);
  const size_t left = static_cast<size_t>(s.before[4]);
  const size_t padded_row = static_cast<size_t>(s.y_size[4]);
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t i0 = 0; i0 < s.y_size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < s.y_size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < s.y_size[2]; ++i2) {
        for (int32_t i3 = 0; i3 < s.y_size[3]; ++i3) {
          if (inside(s, 0, i0) && inside(s, 1, i1) && inside(s, 2, i2) && inside(s, 3, i3)) {
            memset(y, s.value, left);
            memcpy(y + left, x, row);
            memset(y + left + row, s.value, padded_row - left - row);
            x += row;
          } else {
            memset(y, s.value, padded_row);
          }
          y += padded_row;
        }
      }
    }
  }
}

}  // namespace opsmith::pad
