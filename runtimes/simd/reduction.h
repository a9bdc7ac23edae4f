// Needs vectors. Fast because a vector has neighbours of y in its lanes, or because sums of eight
// runs wait less for each other than those of one.
#pragma once

#include <stdint.h>

#include "runtimes/families/reduction.h"
#include "runtimes/simd/joined.h"
#include "runtimes/simd/reals.h"

namespace opsmith::simd {

// y of floats that lie along one run of axes, by a struct of joined.h.
template <class V, class P, class F>
void reduced_reals(const P& p, const float* x, F, float* y) {
  using R = Reals<V>;
  reduction::for_each_row(p, x, y, [&p](const float* first, float* row) {
    const int32_t count = p.reduced[3], stride = p.reduced_stride[3];
    int32_t i = 0;
    for (; i + R::kLanes <= p.kept[3]; i += R::kLanes) {
      typename R::Sums found = F::kStart - typename R::Sums{};
      for (int32_t k = 0; k < count; ++k) {
        found = F::joined(found, R::weights(first + k * stride + i));
      }
      R::store(F::done(found, static_cast<float>(count)), row + i, R::kLanes);
    }
    for (; i < p.kept[3]; ++i) {
      float found = F::kStart;
      for (int32_t k = 0; k < count; ++k) found = F::joined(found, first[k * stride + i]);
      row[i] = F::done(found, static_cast<float>(count));
    }
  });
}

// Elements of y that are of runs of neighbours in x, each in its order.
template <int kRuns, class P, class F>
void put_runs(const P& p, const float* x, F, float* y) {
  const int32_t count = p.reduced[3], step = p.kept_stride[3];
  float found[kRuns];
#pragma GCC unroll 8
  for (int j = 0; j < kRuns; ++j) found[j] = F::kStart;
  for (int32_t k = 0; k < count; ++k) {
#pragma GCC unroll 8
    for (int j = 0; j < kRuns; ++j) found[j] = F::joined(found[j], x[j * step + k]);
  }
#pragma GCC unroll 8
  for (int j = 0; j < kRuns; ++j) y[j] = F::done(found[j], static_cast<float>(count));
}

template <class V, class P, class F>
void real_runs(const P& p, const float* x, F f, float* y) {
  reduction::for_each_row(p, x, y, [&p, f](const float* first, float* row) {
    const int32_t kept = p.kept[3], step = p.kept_stride[3];
    int32_t i = 0;
    for (; i + 8 <= kept; i += 8) put_runs<8>(p, first + i * step, f, row + i);
    for (; i < kept; ++i) put_runs<1>(p, first + i * step, f, row + i);
  });
}

}  // namespace opsmith::simd
