// Pad, the definition (tensorflow/lite/kernels/internal/reference/pad.h). Of any element type: the
// border is bytes, of which the first `unit` repeat.
#pragma once

#include <string.h>

#include "pad.op.h"

namespace opsmith::pad {

// Whether position i of y along an axis lies in x.
template <class P>
constexpr bool inside(const P& p, int32_t axis, int32_t i) {
  return i >= p.before[axis] && i < p.before[axis] + p.x_size[axis];
}

// Makes these bytes border.
template <class P>
void fill(const P& p, uint8_t* y, size_t bytes) {
  const size_t unit = static_cast<size_t>(p.unit);
  if (unit == 1) {
    memset(y, p.value[0], bytes);
  } else {
    for (size_t i = 0; i < bytes; i += unit) memcpy(y + i, p.value, unit);
  }
}

// Row by row along the last axis.
template <class P>
void reference(const P& p, const In<void>& in, const Out<void>& out) {
  const size_t row = static_cast<size_t>(p.x_size[4]);
  const size_t left = static_cast<size_t>(p.before[4]);
  const size_t padded_row = static_cast<size_t>(p.y_size[4]);
  const uint8_t* x = static_cast<const uint8_t*>(in.x);
  uint8_t* y = static_cast<uint8_t*>(out.y);
  for (int32_t i0 = 0; i0 < p.y_size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.y_size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.y_size[2]; ++i2) {
        for (int32_t i3 = 0; i3 < p.y_size[3]; ++i3) {
          if (inside(p, 0, i0) && inside(p, 1, i1) && inside(p, 2, i2) && inside(p, 3, i3)) {
            fill(p, y, left);
            memcpy(y + left, x, row);
            fill(p, y + left + row, padded_row - left - row);
            x += row;
          } else {
            fill(p, y, padded_row);
          }
          y += padded_row;
        }
      }
    }
  }
}

}  // namespace opsmith::pad
