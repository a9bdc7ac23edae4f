// Bucketize, the definition (tensorflow/lite/kernels/bucketize.cc).
#pragma once

#include "bucketize.op.h"

namespace opsmith::bucketize {

// How many of the boundaries, ascending, are not above x.
template <class T>
int32_t reached(const float* boundaries, int32_t count, T x) {
  int32_t found = 0;
  while (count > 0) {
    const int32_t half = count / 2;
    if (x < boundaries[found + half]) {
      count = half;
    } else {
      found += half + 1;
      count -= half + 1;
    }
  }
  return found;
}

inline float compared(int32_t x) { return static_cast<float>(x); }
inline float compared(int64_t x) { return static_cast<float>(x); }
inline float compared(float x) { return x; }
inline double compared(double x) { return x; }

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out, const Tables& tables) {
  for (int32_t i = 0; i < p.elements; ++i) {
    out.y[i] = reached(tables.boundaries, p.boundaries, compared(in.x[i]));
  }
}

}  // namespace opsmith::bucketize
