// How floats, or vectors of them, are joined one by one, and made an element of y. Freestanding
// C++17.
#pragma once

#include "runtimes/core/limits.h"

namespace opsmith::simd {

struct Sum {
  static constexpr float kStart = 0.0f;
  template <class W>
  static W joined(W sum, W x) {
    return sum + x;
  }
  template <class W>
  static W done(W sum, float) {
    return sum;
  }
};

struct Mean : Sum {
  template <class W>
  static W done(W sum, float count) {
    return sum / count;
  }
};

struct Largest : Sum {  // a NaN never is
  template <class T>
  static constexpr T kStartOf = Limits<T>::kLow;
  static constexpr float kStart = kStartOf<float>;
  template <class W>
  static W joined(W largest, W x) {
    return largest < x ? x : largest;
  }
};

struct Least : Sum {
  template <class T>
  static constexpr T kStartOf = Limits<T>::kHigh;
  static constexpr float kStart = kStartOf<float>;
  template <class W>
  static W joined(W least, W x) {
    return x < least ? x : least;
  }
};

}  // namespace opsmith::simd
