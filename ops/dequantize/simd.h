// Needs vectors. Fast because one conversion and one product serve a vector of elements, also where
// y lies over x: these are read before any of them is written.
#pragma once

#include "dequantize.op.h"
#include "runtimes/core/quantization.h"
#include "runtimes/simd/reals.h"
#include "runtimes/simd/words.h"

namespace opsmith::dequantize {

template <class V, class P, class T>
void in_vectors(const P& p, const T* x, float* y) {
  using R = opsmith::simd::Reals<V>;
  const float scale = static_cast<float>(p.x_scale);
  const int32_t zero_point = p.x_zero_point, elements = p.elements;
  int32_t i = 0;
  for (; i + V::kLanes <= elements; i += V::kLanes) {
    const auto lifted = opsmith::simd::WordLanes<V>::of(V::words(x + i)).value - zero_point;
    R::store(scale * __builtin_convertvector(lifted, typename R::Sums), y + i, V::kLanes);
  }
  for (; i < elements; ++i) y[i] = real_value(x[i], scale, zero_point);
}

}  // namespace opsmith::dequantize
