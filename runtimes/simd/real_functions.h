// Functions of core/ of vectors of floats, with their operations in all lanes: of branches, each
// lane takes the result that is its own. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/simd/real_exponential.h"
#include "runtimes/simd/real_exponential_minus_one.h"
#include "runtimes/simd/real_logarithm.h"
#include "runtimes/simd/real_rounding.h"
#include "runtimes/simd/real_sine.h"
#include "runtimes/simd/reals.h"

namespace opsmith::simd {

// As square_root() of core/square_root.h, whose NaN of negative numbers Arm has not.
template <class V, class W>
inline W square_root(W x) {
  const W found = V::roots(x);
  return x < 0.0f ? -kNaN - W{} : x != x ? x : found;
}

// y[i] = f(x[i]), of vectors of floats, the last of which zeros may fill.
template <class V, class F>
void of_all(const float* x, float* y, int32_t elements, F f) {
  using R = Reals<V>;
  int32_t i = 0;
  for (; i + R::kLanes <= elements; i += R::kLanes) {
    R::store(f(R::weights(x + i)), y + i, R::kLanes);
  }
  if (i < elements) {
    typename R::Sums last = {};
    memcpy(&last, x + i, sizeof(float) * static_cast<size_t>(elements - i));
    R::store(f(last), y + i, elements - i);
  }
}

template <class V, class P, class F>
void of_each(const P& p, const float* x, float* y, F f) {
  of_all<V>(x, y, p.elements, f);
}

}  // namespace opsmith::simd
