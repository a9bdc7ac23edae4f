// Needs vectors. Fast because a vector adds up neighbours as words.
#pragma once

#include "mean.op.h"
#include "ops/mean/scaled.h"
#include "runtimes/families/reduction.h"
#include "runtimes/simd/real_steps.h"
#include "runtimes/simd/reals.h"

namespace opsmith::mean {

// For means along one run of axes, the last of x not among them.
template <class V, class P, class T>
void in_vectors(const P& p, const T* x, T* y) {
  using Sums = typename StepsOf<typename opsmith::simd::Reals<V>::Sums>::Ints;
  const int32_t reduced = p.reduced[3], stride = p.reduced_stride[3], kept = p.kept[3];
  const int32_t start = first_sum(p, 0);
  reduction::for_each_row(p, x, y, [&](const T* first, T* to) {
    int32_t c = 0;
    for (; c + V::kLanes <= kept; c += V::kLanes) {
      Sums sums = start - Sums{};
      for (int32_t i = 0; i < reduced; ++i) {
        sums += reinterpret_cast<Sums>(V::words(first + c + i * stride));
      }
      for (int32_t j = 0; j < V::kLanes; ++j) to[c + j] = scaled<T>(p, sums[j]);
    }
    for (; c < kept; ++c) {
      int32_t sum = start;
      for (int32_t i = 0; i < reduced; ++i) sum += first[c + i * stride];
      to[c] = scaled<T>(p, sum);
    }
  });
}

}  // namespace opsmith::mean
