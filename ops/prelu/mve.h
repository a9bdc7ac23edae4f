// Needs Helium. Fast because four elements are rescaled at once.
#pragma once

#include "prelu.op.h"
#include "runtimes/cmsis/mve_binary.h"
#include "runtimes/core/limits.h"

namespace opsmith::prelu {

struct Scaled {
  template <class T, class P>
  static mve::Words of(const P& p, mve::Words a, mve::Words b) {
    const mve::Words x = a - p.a_zero_point;
    const mve::Words product = multiply_by_quantized_multiplier(
        x * (b - p.b_zero_point), p.product_multiplier, p.product_shift);
    const mve::Words scaled = multiply_by_quantized_multiplier(x, p.multiplier, p.shift);
    const mve::Words y = where_negative(x, product, scaled) + p.y_zero_point;
    return clamp(y, Limits<T>::kLow, Limits<T>::kHigh);
  }
};

template <class P, class T, class B>
void mve(const P& p, const In<T, B>& in, const Out<T, B>& out) {
  const T* a = in.a;
  const B* b = in.b;
  mve::pairs<Scaled>(p, a, b, static_cast<T*>(out.y));
}

}  // namespace opsmith::prelu
