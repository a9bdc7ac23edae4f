// StablehloScatter, the definition (tensorflow/lite/kernels/stablehlo_scatter.cc).
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/core/wrapping.h"
#include "stablehlo_scatter.op.h"

namespace opsmith::stablehlo_scatter {

constexpr int kAxes = 8;

template <class T>
T sum(T a, T b) {
  if constexpr (kWraps<T>) {
    return wrapping_sum(a, b);
  } else {
    return a + b;
  }
}

template <class T>
T product(T a, T b) {
  if constexpr (kWraps<T>) {
    return wrapping_product(a, b);
  } else {
    return a * b;
  }
}

// What the function makes of an element and an update; the element where they are equal, or where
// it is NaN, in those that choose.
template <class T>
T joined(int32_t function, T found, T update) {
  switch (function) {
    case 1:
      return sum(found, update);
    case 2:
      return product(found, update);
    case 3:
      return found < update ? update : found;
    case 4:
      return update < found ? update : found;
  }
  return update;
}

// Index number i, of `width` bytes.
inline int64_t index(const void* indices, int32_t width, int32_t i) {
  return width == 8 ? static_cast<const int64_t*>(indices)[i]
                    : static_cast<const int32_t*>(indices)[i];
}

// The number of the element of x at a position, of which index `at` begins the start; -1 beyond x.
template <class P>
int32_t place(const P& p, const void* indices, int32_t at, const int32_t* inside) {
  int64_t position[kAxes] = {};
  for (int32_t i = 0; i < p.depth; ++i) {
    position[p.mapped[i]] = index(indices, p.width, at + i * p.index_step);
  }
  int32_t found = 0;
  for (int32_t axis = 0; axis < p.rank; ++axis) {
    const int64_t room = p.shape[axis] - inside[axis];
    if (position[axis] < -inside[axis] || position[axis] >= room) return -1;
    found += (static_cast<int32_t>(position[axis]) + inside[axis]) * p.step[axis];
  }
  return found;
}

// Joins updates from this axis on. Returns the end of what it has read.
template <int Axis, class P, class T>
const T* scatter_axis(const P& p, const void* indices, int32_t at, int32_t* inside,
                      const T* updates, T* y) {
  if constexpr (Axis == kAxes) {
    const int32_t to = place(p, indices, at, inside);
    if (to >= 0) y[to] = joined(p.function, y[to], *updates);
    return updates + 1;
  } else {
    const int32_t axis = p.axis[Axis];
    for (int32_t i = 0; i < p.size[Axis]; ++i, at += p.tuple_step[Axis]) {
      if (axis >= 0) inside[axis] = i;
      updates = scatter_axis<Axis + 1>(p, indices, at, inside, updates, y);
    }
    return updates;
  }
}

template <class P, class T, class I>
void reference(const P& p, const In<T, I>& in, const Out<T, I>& out) {
  memcpy(out.y, in.x, static_cast<size_t>(p.elements) * sizeof(T));
  int32_t inside[kAxes] = {};
  scatter_axis<0>(p, in.indices, 0, inside, in.updates, out.y);
}

}  // namespace opsmith::stablehlo_scatter
