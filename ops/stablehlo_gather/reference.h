// StablehloGather, the definition (tensorflow/lite/kernels/stablehlo_gather.cc).
#pragma once

#include "runtimes/families/movement.h"
#include "stablehlo_gather.op.h"

namespace opsmith::stablehlo_gather {

// How many elements of x lie before the slice of the tuple that begins with index `at`.
template <class P>
int32_t start(const P& p, const void* indices, int32_t at) {
  int32_t found = 0;
  for (int32_t i = 0; i < p.depth; ++i, at += p.index_step) {
    found += movement::index(indices, p.width, at, p.starts[i]) * p.start_step[i];
  }
  return found;
}

// Writes y from this axis on. Returns the end of what it has written.
template <int Axis, class P, class Element>
Element* gather_axis(const P& p, const void* indices, int32_t at, const Element* x, Element* y) {
  constexpr int kLast = sizeof(p.size) / sizeof(p.size[0]) - 1;
  if constexpr (Axis == kLast) {
    int32_t from = start(p, indices, at);
    for (int32_t i = 0; i < p.size[kLast]; ++i, x += p.x_step[kLast]) {
      if (i > 0 && p.tuple_step[kLast]) from = start(p, indices, at + i * p.tuple_step[kLast]);
      *y++ = x[from];
    }
  } else {
    for (int32_t i = 0; i < p.size[Axis]; ++i, at += p.tuple_step[Axis], x += p.x_step[Axis]) {
      y = gather_axis<Axis + 1>(p, indices, at, x, y);
    }
  }
  return y;
}

// Elements are as wide as T.
template <class T, class P>
void gather(const P& p, const void* x, const void* indices, void* y) {
  typedef typename movement::Moved<T>::Element Element;
  gather_axis<0>(p, indices, 0, static_cast<const Element*>(x), static_cast<Element*>(y));
}

}  // namespace opsmith::stablehlo_gather
