// Needs vectors. Fast because a vector of neighbours is compared at a time, first with the best so
// far, and then with the best of all.
#pragma once

#include <stdint.h>

#include "runtimes/core/float_bits.h"
#include "runtimes/simd/reduction.h"

namespace opsmith::simd {

// An element that none is worse than; of floats only NaN is, which functions of joined.h pass over.
template <class F, class T>
constexpr T worst(T /*unused*/) {
  return F::template kStartOf<T>;
}
template <class F>
constexpr float worst(float /*unused*/) {
  return F::template kStartOf<float> < 0.0f ? -kInfinity : kInfinity;
}

// Where the first of neighbours is that equals one of them, or 0 if none does.
template <class T>
int32_t place_of(T one, const T* x, int32_t count) {
  using X = Elements<T, 16>;
  using Longs [[gnu::vector_size(16)]] = uint64_t;
  const typename X::Lanes all = one - typename X::Lanes{};
  for (int32_t k = 0; k < count; k += X::kLanes) {
    const int32_t at = min(k, count - X::kLanes);
    const auto equal = reinterpret_cast<Longs>(X::load(x + at) == all);
    if ((equal[0] | equal[1]) == 0) continue;
    const int32_t bits = equal[0] != 0 ? __builtin_ctzll(equal[0]) : 64 + __builtin_ctzll(equal[1]);
    return at + bits / static_cast<int32_t>(8 * sizeof(T));
  }
  return 0;
}

// As argument() of runtimes/families/argument.h, of neighbours, by a struct of joined.h.
template <class P, class T, class F, class Y>
void places_in_runs(const P& p, const T* x, F f, Y* y) {
  for (int32_t i = 0; i < p.outer; ++i, x += p.depth) {
    y[i] = place_of(chosen(x, p.depth, worst<F>(T{}), f), x, p.depth);
  }
}

}  // namespace opsmith::simd
