// Needs vectors. Fast because double precision divides a vector at a time.
#pragma once

#include "ops/floor_div/reference.h"
#include "runtimes/simd/real_pairs.h"
#include "runtimes/simd/real_steps.h"

namespace opsmith::floor_div {

template <class W, class = decltype(W{}[0])>
W quotients(W a, W b) {
  using Steps = StepsOf<W>;
  typename Steps::Wide low, high, low_b, high_b;
  Steps::widened(a, low, high);
  Steps::widened(b, low_b, high_b);
  return Steps::narrowed(Steps::rounded_down(low / low_b), Steps::rounded_down(high / high_b));
}

inline float quotients(float a, float b) { return quotient(a, b); }

template <class V, class P>
void in_vectors(const P& p, const float* a, const float* b, float* y) {
  opsmith::simd::real_rows<V>(p, a, b, [](auto x, auto z) { return quotients(x, z); }, y);
}

}  // namespace opsmith::floor_div
