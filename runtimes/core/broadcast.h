// A function of two tensors that broadcast, element by element. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// Calls f(a, b, y) for the first elements of every row along the last axis, in the order of y. S
// has size[5] of y, and a_stride[5] and b_stride[5] in elements: 0 along an axis that repeats.
template <class P, class A, class B, class Y, class F>
void for_each_row(const P& p, const A* a, const B* b, Y* y, F f) {
  for (int32_t i0 = 0; i0 < p.size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.size[2]; ++i2) {
        for (int32_t i3 = 0; i3 < p.size[3]; ++i3) {
          f(a + i0 * p.a_stride[0] + i1 * p.a_stride[1] + i2 * p.a_stride[2] + i3 * p.a_stride[3],
            b + i0 * p.b_stride[0] + i1 * p.b_stride[1] + i2 * p.b_stride[2] + i3 * p.b_stride[3],
            y);
          y += p.size[4];
        }
      }
    }
  }
}

// Calls f(a, b, y) for the first elements of every plane of the last two axes, likewise.
template <class P, class A, class B, class Y, class F>
void for_each_plane(const P& p, const A* a, const B* b, Y* y, F f) {
  for (int32_t i0 = 0; i0 < p.size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.size[2]; ++i2) {
        f(a + i0 * p.a_stride[0] + i1 * p.a_stride[1] + i2 * p.a_stride[2],
          b + i0 * p.b_stride[0] + i1 * p.b_stride[1] + i2 * p.b_stride[2], y);
        y += p.size[3] * p.size[4];
      }
    }
  }
}

// y[i] = f(a[i], b[i]) in the order of y.
template <class P, class A, class B, class Y, class F>
void for_each_pair(const P& p, const A* a, const B* b, Y* y, F f) {
  for_each_row(p, a, b, y, [&p, f](const A* of_a, const B* of_b, Y* of_y) {
    for (int32_t i = 0; i < p.size[4]; ++i) {
      of_y[i] = f(*of_a, *of_b);
      of_a += p.a_stride[4];
      of_b += p.b_stride[4];
    }
  });
}

}  // namespace opsmith
