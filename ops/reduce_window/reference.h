// ReduceWindow, the definition (tensorflow/lite/kernels/stablehlo_reduce_window.cc).
#pragma once

#include "reduce_window.op.h"
#include "runtimes/core/wrapping.h"

namespace opsmith::reduce_window {

struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (kWraps<T>) {
      return wrapping_sum(a, b);
    } else {
      return a + b;
    }
  }
};

struct Product {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (kWraps<T>) {
      return wrapping_product(a, b);
    } else {
      return a * b;
    }
  }
};

// b where either is NaN.
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return a <= b ? a : b;
  }
};

struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    return a >= b ? a : b;
  }
};

struct All {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a != T{} && b != T{});
  }
};

struct Any {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a != T{} || b != T{});
  }
};

// The function of what was found and the elements that a window has from this axis on.
template <class F, int Axis, class P, class T>
T joined(const P& p, const T* x, T found) {
  if constexpr (Axis == sizeof(p.size) / sizeof(p.size[0])) {
    return F{}(found, *x);
  } else {
    for (int32_t i = 0; i < p.window[Axis]; ++i, x += p.inner[Axis]) {
      found = joined<F, Axis + 1>(p, x, found);
    }
    return found;
  }
}

// Writes y from this axis on. Returns the end of what it has written.
template <class F, int Axis, class P, class T>
T* each_window(const P& p, const T* x, T first, T* y) {
  if constexpr (Axis == sizeof(p.size) / sizeof(p.size[0])) {
    *y = joined<F, 0>(p, x, first);
    return y + 1;
  } else {
    for (int32_t i = 0; i < p.size[Axis]; ++i, x += p.step[Axis]) {
      y = each_window<F, Axis + 1>(p, x, first, y);
    }
    return y;
  }
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  const T first = in.first[0];
  switch (p.reduction) {
    case 0:
      each_window<Sum, 0>(p, in.x, first, out.y);
      return;
    case 1:
      each_window<Product, 0>(p, in.x, first, out.y);
      return;
    case 2:
      each_window<Least, 0>(p, in.x, first, out.y);
      return;
    case 3:
      each_window<Greatest, 0>(p, in.x, first, out.y);
      return;
    case 4:
      each_window<All, 0>(p, in.x, first, out.y);
      return;
    default:
      each_window<Any, 0>(p, in.x, first, out.y);
  }
}

}  // namespace opsmith::reduce_window
