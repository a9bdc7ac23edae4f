// Cumsum, the definition (tensorflow/lite/kernels/internal/reference/cumsum.h).
#pragma once

#include "cumsum.op.h"
#include "runtimes/core/walk.h"
#include "runtimes/core/wrapping.h"
#include "runtimes/families/byte_sums.h"

namespace opsmith::cumsum {

// Integers wrap.
template <class T>
T sum(T a, T b) {
  return wrapping_sum(a, b);
}

template <>
inline float sum(float a, float b) {
  return a + b;
}

// Sets each element of y to f(sum), where the sum, of term(x) after a first one, ends with or
// before its own term.
template <class P, class X, class Y, class Sum, class Term, class F>
void for_each_sum(const P& p, const X* x, Y* y, Sum first, Term term, F f) {
  for (int32_t outer = 0; outer < p.outer; ++outer) {
    for (int32_t inner = 0; inner < p.inner; ++inner) {
      Sum before = first;
      for (int32_t i = 0; i < p.depth; ++i) {
        const int32_t at = (outer * p.depth + nth(i, p.depth, p.backward)) * p.inner + inner;
        const Sum with = sum(before, static_cast<Sum>(term(x[at])));
        y[at] = f(p.exclusive ? before : with);
        before = with;
      }
    }
  }
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  const auto same = [](T x) { return x; };
  for_each_sum(p, in.x, out.y, T{0}, same, same);
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  for_each_sum(
      p, in.x, out.y, byte_sums::first(p), [&p](int32_t x) { return x - p.x_zero_point; },
      [&p](int32_t sum) { return byte_sums::rescaled(p, sum); });
}

}  // namespace opsmith::cumsum
