// Elements at regular places of a tensor that has one element elsewhere, whatever their type.
// Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/families/movement.h"

namespace opsmith::spread {

// Writes what y has of x from this axis on.
template <int Axis, class P, class Element>
void write_axis(const P& p, const Element* x, Element* y) {
  if constexpr (Axis == sizeof(p.size) / sizeof(p.size[0])) {
    *y = *x;
  } else {
    for (int32_t i = 0; i < p.size[Axis]; ++i) {
      write_axis<Axis + 1>(p, x + i * p.x_step[Axis], y + i * p.y_step[Axis]);
    }
  }
}

// The element `value` everywhere, then elements of x: all as wide as T.
template <class T, class P>
void spread(const P& p, const void* x, const void* value, void* y) {
  typedef typename movement::Moved<T>::Element Element;
  Element* to = static_cast<Element*>(y);
  const Element rest = *static_cast<const Element*>(value);
  for (int32_t i = 0; i < p.elements; ++i) to[i] = rest;
  write_axis<0>(p, static_cast<const Element*>(x) + p.x_first, to + p.y_first);
}

}  // namespace opsmith::spread
