// A function of two tensors that broadcast, element by element. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// y[i] = f(a[i], b[i]) in the order of y. S has size[5] of y, and a_stride[5] and b_stride[5] in
// elements: 0 along an axis that repeats.
template <class S, class T, class Y, class F>
void for_each_pair(const S& s, const T* a, const T* b, Y* y, F f) {
  for (int32_t i0 = 0; i0 < s.size[0]; ++i0) {
    for (int32_t i1 = 0; i1 < s.size[1]; ++i1) {
      for (int32_t i2 = 0; i2 < s.size[2]; ++i2) {
        for (int32_t i3 = 0; i3 < s.size[3]; ++i3) {
          const T* row_a =
              a + i0 * s.a_stride[0] + i1 * s.a_stride[1] + i2 * s.a_stride[2] + i3 * s.a_stride[3];
          const T* row_b =
              b + i0 * s.b_stride[0] + i1 * s.b_stride[1] + i2 * s.b_stride[2] + i3 * s.b_stride[3];
          for (int32_t i4 = 0; i4 < s.size[4]; ++i4) {
            *y++ = f(*row_a, *row_b);
            row_a += s.a_stride[4];
            row_b += s.b_stride[4];
          }
        }
      }
    }
  }
}

}  // namespace opsmith
