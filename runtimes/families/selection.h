// Selections between the elements of two tensors that broadcast, which no kernel looks at: one
// instance serves all element types of a width. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith::selection {

// Calls f(condition, a, b, y) for the first elements, as wide as T, of every row along the last
// axis. Strides are those of tensors walked in the shape of y: 0 along an axis that repeats.
template <class T, class P, class F>
void for_each_row(const P& p, const bool* condition, const void* a, const void* b, void* y, F f) {
  typedef T Element __attribute__((may_alias));
  const Element* const of_a = static_cast<const Element*>(a);
  const Element* const of_b = static_cast<const Element*>(b);
  Element* to = static_cast<Element*>(y);
  const auto at = [](const auto& stride, int32_t i0, int32_t i1, int32_t i2, int32_t i3) {
    return i0 * stride[0] + i1 * stride[1] + i2 * stride[2] + i3 * stride[3];
  };
  for (int32_t i0 = 0; i0 < p.size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.size[2]; ++i2) {
        for (int32_t i3 = 0; i3 < p.size[3]; ++i3) {
          f(condition + at(p.condition_stride, i0, i1, i2, i3),
            of_a + at(p.a_stride, i0, i1, i2, i3), of_b + at(p.b_stride, i0, i1, i2, i3), to);
          to += p.size[4];
        }
      }
    }
  }
}

// y = condition ? a : b of elements of a row from the first-th on.
template <class P, class T>
void select_from(const P& p, int32_t first, const bool* condition, const T* a, const T* b, T* y) {
  condition += first * p.condition_stride[4];
  a += first * p.a_stride[4];
  b += first * p.b_stride[4];
  for (int32_t i = first; i < p.size[4]; ++i) {
    y[i] = *condition ? *a : *b;
    condition += p.condition_stride[4];
    a += p.a_stride[4];
    b += p.b_stride[4];
  }
}

// y = condition ? a : b of all elements.
template <class T, class P>
void select(const P& p, const bool* condition, const void* a, const void* b, void* y) {
  for_each_row<T>(p, condition, a, b, y, [&p](auto* chosen, auto* of_a, auto* of_b, auto* to) {
    select_from(p, 0, chosen, of_a, of_b, to);
  });
}

}  // namespace opsmith::selection
