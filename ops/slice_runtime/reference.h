// SliceRuntime, the definition (tensorflow/lite/kernels/slice.cc). Of any element type: rows of
// bytes move.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/families/movement.h"
#include "slice_runtime.op.h"

namespace opsmith::slice_runtime {

// Writes what y has from this axis on. Returns the end of what it has written.
template <int Axis, class P>
__attribute__((always_inline)) inline uint8_t* read_axis(const P& p, const uint8_t* from,
                                                         uint8_t* to) {
  if constexpr (Axis == sizeof(p.size) / sizeof(p.size[0])) {
    memcpy(to, from, static_cast<size_t>(p.row));
    return to + p.row;
  } else {
    for (int32_t i = 0; i < p.size[Axis]; ++i, from += p.step[Axis]) {
      to = read_axis<Axis + 1>(p, from, to);
    }
    return to;
  }
}

template <class P>
void reference(const P& p, const In<void, void>& in, const Out<void, void>& out) {
  constexpr int32_t kAxes = sizeof(p.size) / sizeof(p.size[0]);
  const uint8_t* first = static_cast<const uint8_t*>(in.x);
  for (int32_t i = 0; i < p.rank; ++i) {
    const int32_t axis = kAxes - p.rank + i;
    first += movement::index(in.begin, p.width, i, p.room[axis] + 1) * p.step[axis];
  }
  read_axis<0>(p, first, static_cast<uint8_t*>(out.y));
}

}  // namespace opsmith::slice_runtime
