// Transpose, the definition (tensorflow/lite/kernels/internal/reference/transpose.h).
#pragma once

#include <string.h>

#include "transpose.op.h"

namespace opsmith::transpose {

// y from start to end; rows that stay together in x are copied whole.
template <class P, class T>
void transpose(const P& p, const T* x, T* y) {
  const T* from0 = x;
  for (int32_t i0 = 0; i0 < p.size[0]; ++i0, from0 += p.step[0]) {
    const T* from1 = from0;
    for (int32_t i1 = 0; i1 < p.size[1]; ++i1, from1 += p.step[1]) {
      const T* from2 = from1;
      for (int32_t i2 = 0; i2 < p.size[2]; ++i2, from2 += p.step[2]) {
        const T* from3 = from2;
        for (int32_t i3 = 0; i3 < p.size[3]; ++i3, from3 += p.step[3]) {
          const T* from4 = from3;
          if (p.step[4] == 1) {
            memcpy(y, from4, static_cast<size_t>(p.size[4]) * sizeof(T));
            y += p.size[4];
            continue;
          }
          for (int32_t i4 = 0; i4 < p.size[4]; ++i4, from4 += p.step[4]) *y++ = *from4;
        }
      }
    }
  }
}

}  // namespace opsmith::transpose
