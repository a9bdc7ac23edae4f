// A function of two tensors that broadcast, element by element. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// Calls f(a, b, y) for the first elements of every row along the last axis, in the order of y. S
// has size[5] of y, and a_stride[5] and b_stride[5] in elements: 0 along an axis that repeats.
template <class S, class T, class Y, class F>
void for_each_row(const S& s, const T* a, const T* b, Y* y, F f) {
  for (int32_t i0 = 0; i0 < s.size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < s.size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < s.size[2]; ++i2) {
        for (int32_t i3 = 0; i3 < s.size[3]; ++i3) {
          f(a + i0 * s.a_stride[0] + i1 * s.a_stride[1] + i2 * s.a_stride[2] + i3 * s.a_stride[3],
            b + i0 * s.b_stride[0] + i1 * s.b_stride[1] + i2 * s.b_stride[2] + i3 * s.b_stride[3],
            y);
          y += s.size[4];
        }
      }
    }
  }
}

// y[i] = f(a[i], b[i]) in the order of y.
template <class S, class T, class Y, class F>
void for_each_pair(const S& s, const T* a, const T* b, Y* y, F f) {
  for_each_row(s, a, b, y, [&s, f](const T* of_a, const T* of_b, Y* of_y) {
    for (int32_t i = 0; i < s.size[4]; ++i) {
      of_y[i] = f(*of_a, *of_b);
      of_a += s.a_stride[4];
      of_b += s.b_stride[4];
    }
  });
}

}  // namespace opsmith
