// Functions of the elements along axes. P has the axes of runtimes/families/reduction.py.
// Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith::reduction {

// Calls f(x, y) for the rows of y along its last run of axes, in their order: the first of its
// p.kept[3] elements, and the first element of x that goes into it.
template <class P, class X, class Y, class F>
void for_each_row(const P& p, const X* x, Y* y, F f) {
  for (int32_t i0 = 0; i0 < p.kept[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.kept[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.kept[2]; ++i2, y += p.kept[3]) {
        const int32_t at = i0 * p.kept_stride[0] + i1 * p.kept_stride[1] + i2 * p.kept_stride[2];
        f(x + at, y);
      }
    }
  }
}

// Calls f(x) for every element that goes into one of y; `x` is the first of them. Four in a step,
// which are short.
template <class P, class X, class F>
void for_each_reduced(const P& p, const X* x, F f) {
  for (int32_t i0 = 0; i0 < p.reduced[0]; ++i0) {
    for (int32_t i1 = 0; i1 < p.reduced[1]; ++i1) {
      for (int32_t i2 = 0; i2 < p.reduced[2]; ++i2) {
        const X* run =
            x + i0 * p.reduced_stride[0] + i1 * p.reduced_stride[1] + i2 * p.reduced_stride[2];
        const int32_t stride = p.reduced_stride[3];
        int32_t left = p.reduced[3];
        for (; left >= 4; left -= 4, run += 4 * stride) {
          f(run[0]);
          f(run[stride]);
          f(run[2 * stride]);
          f(run[3 * stride]);
        }
        for (; left > 0; --left, run += stride) f(*run);
      }
    }
  }
}

// y = f(x) for every element of y; `x` is the first of those that go into it.
template <class P, class X, class Y, class F>
void for_each_element(const P& p, const X* x, Y* y, F f) {
  for_each_row(p, x, y, [&p, f](const X* first, Y* row) {
    for (int32_t i = 0; i < p.kept[3]; ++i) row[i] = f(first + i * p.kept_stride[3]);
  });
}

// How many elements of x go into one of y.
template <class P>
constexpr int32_t reduced_elements(const P& p) {
  return p.reduced[0] * p.reduced[1] * p.reduced[2] * p.reduced[3];
}

// y = f(… f(f(start, x0), x1) …) for every element of y. Where P says so, that of x0 is x0 itself.
template <class P, class T, class F>
void fold(const P& p, const T* x, T* y, T start, F f) {
  for_each_element(p, x, y, [&p, start, f](const T* first) {
    T found = start;
    bool replace = p.from_first;
    for_each_reduced(p, first, [&](T element) {
      found = replace ? element : f(found, element);
      replace = false;
    });
    return found;
  });
}

}  // namespace opsmith::reduction
