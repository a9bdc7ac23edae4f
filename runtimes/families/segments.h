// Rows of x whose ids are equal, joined: each struct has the function, and the element to begin
// with. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/limits.h"
#include "runtimes/core/wrapping.h"

namespace opsmith::segments {

struct Sum {
  template <class T>
  static constexpr T kFirst = T{0};
  float operator()(float a, float b) const { return a + b; }
  int32_t operator()(int32_t a, int32_t b) const { return wrapping_sum(a, b); }
};

struct Prod {
  template <class T>
  static constexpr T kFirst = T{1};
  float operator()(float a, float b) const { return a * b; }
  int32_t operator()(int32_t a, int32_t b) const { return wrapping_product(a, b); }
};

// a where either is NaN.
struct Max {
  template <class T>
  static constexpr T kFirst = Limits<T>::kLow;
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

struct Min {
  template <class T>
  static constexpr T kFirst = Limits<T>::kHigh;
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

// Rows in their order. Ids of no segment are left out.
template <class Join, class P, class T>
void joined(const P& p, const int32_t* ids, const T* x, T* y) {
  for (int32_t i = 0; i < p.segments * p.row; ++i) y[i] = Join::template kFirst<T>;
  for (int32_t i = 0; i < p.ids; ++i, x += p.row) {
    if (ids[i] < 0 || ids[i] >= p.segments) continue;
    T* to = y + ids[i] * p.row;
    for (int32_t j = 0; j < p.row; ++j) to[j] = Join{}(to[j], x[j]);
  }
}

}  // namespace opsmith::segments
