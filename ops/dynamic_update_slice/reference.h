// DynamicUpdateSlice, the definition (tensorflow/lite/kernels/dynamic_update_slice.cc). Of any
// element type: rows of bytes move.
#pragma once

#include <stdint.h>
#include <string.h>

#include "dynamic_update_slice.op.h"
#include "runtimes/families/movement.h"

namespace opsmith::dynamic_update_slice {

// Writes what the update has from this axis on. Returns the end of what it has read.
template <int Axis, class P>
__attribute__((always_inline)) inline const uint8_t* write_axis(const P& p, const uint8_t* from,
                                                                uint8_t* to) {
  if constexpr (Axis == sizeof(p.size) / sizeof(p.size[0])) {
    memcpy(to, from, static_cast<size_t>(p.row));
    return from + p.row;
  } else {
    for (int32_t i = 0; i < p.size[Axis]; ++i, to += p.step[Axis]) {
      from = write_axis<Axis + 1>(p, from, to);
    }
    return from;
  }
}

template <class P>
void reference(const P& p, const In<void, void>& in, const Out<void, void>& out) {
  if (out.y != in.x) memcpy(out.y, in.x, static_cast<size_t>(p.bytes));
  constexpr int32_t kAxes = sizeof(p.size) / sizeof(p.size[0]);
  uint8_t* first = static_cast<uint8_t*>(out.y);
  for (int32_t i = 0; i < p.rank; ++i) {
    const int32_t axis = kAxes - p.rank + i;
    first += movement::index(in.start, p.width, i, p.room[axis] + 1) * p.step[axis];
  }
  write_axis<0>(p, static_cast<const uint8_t*>(in.update), first);
}

}  // namespace opsmith::dynamic_update_slice
