// Functions of one tensor, element by element. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_clamp.h"
#include "runtimes/core/requantize.h"

namespace opsmith::unary {

// y[i] = f(x[i])
template <class P, class X, class Y, class F>
void of_each(const P& p, const X* x, Y* y, F f) {
  const int32_t elements = p.elements;
  for (int32_t i = 0; i < elements; ++i) y[i] = f(x[i]);
}

// y[i] = x[i], or 0 where that is negative; NaN and the sign of zero stay.
template <class P>
void positive(const P& p, const float* x, float* y) {
  of_each(p, x, y, [](float each) { return each < 0.0f ? 0.0f : each; });
}

// y[i] = x[i] within [real_min, real_max]; NaN and the sign of zero stay.
template <class P>
void within(const P& p, const float* x, float* y) {
  const float low = static_cast<float>(p.real_min);
  const float high = static_cast<float>(p.real_max);
  of_each(p, x, y, [low, high](float each) { return real_clamp(each, low, high); });
}

// y[i] = x[i] at another quantisation, within [y_min, y_max]: LiteRT's Requantize and ReluX
// (requantize.h and reference_ops.h of tensorflow/lite/kernels/internal/reference).
struct Rescaled {
  template <class P, class W>
  static constexpr W of(const P& p, W x) {
    return requantize(p, x);
  }
};

template <class P, class X, class Y>
void rescaled(const P& p, const X* x, Y* y) {
  of_each(p, x, y, [&p](int32_t each) { return static_cast<Y>(requantize(p, each)); });
}

}  // namespace opsmith::unary
