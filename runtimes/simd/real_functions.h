// Functions of core/ of vectors of floats, with their operations in all lanes: of branches, each
// lane takes the result that is its own. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/square_root.h"
#include "runtimes/simd/real_exponential.h"
#include "runtimes/simd/real_exponential_minus_one.h"
#include "runtimes/simd/real_logarithm.h"
#include "runtimes/simd/real_rounding.h"
#include "runtimes/simd/real_sine.h"
#include "runtimes/simd/reals.h"

#if defined(__GNUC__) && !defined(__clang__)
#define OPSMITH_ALTERNATING [[gnu::optimize("schedule-insns", "fp-contract=off")]]
#else
#define OPSMITH_ALTERNATING
#endif

namespace opsmith {

// As core/square_root.h has it, whose NaN of negative numbers Arm has not.
template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W square_root(W x) {
  const W found = StepsOf<W>::roots(x);
  return x < 0.0f ? -kNaN - W{} : x != x ? x : found;
}

}  // namespace opsmith

namespace opsmith::simd {

// y[i] = f(x[i]), of vectors of floats, the last of which zeros may fill. The steps of two vectors
// alternate, because those of one wait for each other; there is one call, so that it is inlined.
template <class V, class F>
OPSMITH_ALTERNATING void of_all(const float* x, float* y, int32_t elements, F f) {
  using R = Reals<V>;
  constexpr int32_t kStep = 2 * R::kLanes;
  for (int32_t i = 0; i < elements; i += kStep) {
    const auto count = static_cast<size_t>(elements - i);
    const bool whole = count >= kStep;
    float last[kStep];
    if (!whole) {
      memset(last, 0, sizeof last);
      memcpy(last, x + i, sizeof(float) * count);
    }
    const float* from = whole ? x + i : last;
    float* to = whole ? y + i : last;
    typename R::Sums found[2];
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) found[j] = f(R::weights(from + j * R::kLanes));
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) R::store(found[j], to + j * R::kLanes, R::kLanes);
    if (!whole) memcpy(y + i, last, sizeof(float) * count);
  }
}

template <class V, class P, class F>
void of_each(const P& p, const float* x, float* y, F f) {
  of_all<V>(x, y, p.elements, f);
}

}  // namespace opsmith::simd
