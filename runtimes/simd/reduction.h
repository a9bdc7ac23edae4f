// Needs vectors. Fast because a vector has neighbours of y in its lanes, or because sums of eight
// runs wait less for each other than those of one.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/core/fixed_point.h"
#include "runtimes/families/reduction.h"
#include "runtimes/simd/joined.h"
#include "runtimes/simd/reals.h"

namespace opsmith::simd {

// The elements from i on of a row of y that fill kVectors vectors; returns the first that does not.
template <class R, int32_t kVectors, class P, class F>
int32_t put_lanes(const P& p, const float* first, F, float* row, int32_t i) {
  const int32_t count = p.reduced[3], stride = p.reduced_stride[3];
  for (; i + kVectors * R::kLanes <= p.kept[3]; i += kVectors * R::kLanes) {
    typename R::Sums found[kVectors];
#pragma GCC unroll 4
    for (auto& each : found) each = F::kStart - typename R::Sums{};
    const float* x = first + i;
    for (int32_t k = 0; k < count; ++k, x += stride) {
#pragma GCC unroll 4
      for (int32_t j = 0; j < kVectors; ++j) {
        found[j] = F::joined(found[j], R::weights(x + j * R::kLanes));
      }
    }
#pragma GCC unroll 4
    for (int32_t j = 0; j < kVectors; ++j) {
      R::store(F::done(found[j], static_cast<float>(count)), row + i + j * R::kLanes, R::kLanes);
    }
  }
  return i;
}

// y of floats that lie along one run of axes, by a struct of joined.h.
template <class V, class P, class F>
void reduced_reals(const P& p, const float* x, F f, float* y) {
  reduction::for_each_row(p, x, y, [&p, f](const float* first, float* row) {
    int32_t i = put_lanes<Reals<V>, 4>(p, first, f, row, 0);
    i = put_lanes<Reals<V>, 1>(p, first, f, row, i);
    for (; i < p.kept[3]; ++i) {
      float found = F::kStart;
      for (int32_t k = 0; k < p.reduced[3]; ++k) {
        found = F::joined(found, first[k * p.reduced_stride[3] + i]);
      }
      row[i] = F::done(found, static_cast<float>(p.reduced[3]));
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

// Vectors, of which a function joins all elements with each other.
template <class T, int kSize>
struct Elements {
  using Lanes [[gnu::vector_size(kSize)]] = T;
  static constexpr int32_t kLanes = kSize / sizeof(T);

  static Lanes load(const T* x) {
    Lanes found;
    memcpy(&found, x, sizeof found);
    return found;
  }
};

// The elements from i on of a row of y whose neighbours fill vectors; returns the first that does
// not.
template <int kSize, class P, class T, class F>
int32_t put_columns(const P& p, const T* first, F, T* row, int32_t i) {
  using X = Elements<T, kSize>;
  const int32_t count = p.reduced[3], stride = p.reduced_stride[3];
  for (; i + X::kLanes <= p.kept[3]; i += X::kLanes) {
    auto found = F::template kStartOf<T> - typename X::Lanes{};
    for (int32_t k = 0; k < count; ++k) {
      found = F::joined(found, X::load(first + k * stride + i));
    }
    memcpy(row + i, &found, sizeof found);
  }
  return i;
}

// y of integers that lie along one run of axes, by a struct of joined.h that chooses one.
template <class V, class P, class T, class F>
void reduced_integers(const P& p, const T* x, F f, T* y) {
  reduction::for_each_row(p, x, y, [&p, f](const T* first, T* row) {
    int32_t i = put_columns<4 * V::kLanes>(p, first, f, row, 0);
    i = put_columns<16>(p, first, f, row, i);
    for (; i < p.kept[3]; ++i) {
      T found = F::template kStartOf<T>;
      for (int32_t k = 0; k < p.reduced[3]; ++k) {
        found = F::joined(found, first[k * p.reduced_stride[3] + i]);
      }
      row[i] = found;
    }
  });
}

// The element that is chosen of `start` and neighbours, which fill vectors, four at a time; the
// last vector ends at the last neighbour.
template <class T, class F>
T chosen(const T* x, int32_t count, T start, F) {
  using X = Elements<T, 16>;
  using Longs [[gnu::vector_size(16)]] = uint64_t;
  typename X::Lanes some[4];
  for (auto& each : some) each = start - typename X::Lanes{};
  int32_t k = 0;
  for (; k + 4 * X::kLanes <= count; k += 4 * X::kLanes) {
#pragma GCC unroll 4
    for (int32_t j = 0; j < 4; ++j) some[j] = F::joined(some[j], X::load(x + k + j * X::kLanes));
  }
  for (; k < count; k += X::kLanes) {
    some[0] = F::joined(some[0], X::load(x + min(k, count - X::kLanes)));
  }
  auto found = F::joined(F::joined(some[0], some[1]), F::joined(some[2], some[3]));
  const auto longs = reinterpret_cast<Longs>(found);
  found = F::joined(found, reinterpret_cast<decltype(found)>(Longs{longs[1], longs[1]}));
#pragma GCC unroll 4
  for (uint32_t bits = 32; bits >= 8 * sizeof(T); bits /= 2) {
    found =
        F::joined(found, reinterpret_cast<decltype(found)>(reinterpret_cast<Longs>(found) >> bits));
  }
  return found[0];
}

template <class V, class P, class T, class F>
void integer_runs(const P& p, const T* x, F f, T* y) {
  const int32_t count = p.reduced[3];
  reduction::for_each_row(p, x, y, [&p, f, count](const T* first, T* row) {
    for (int32_t i = 0; i < p.kept[3]; ++i) {
      row[i] = chosen(first + i * p.kept_stride[3], count, F::template kStartOf<T>, f);
    }
  });
}

}  // namespace opsmith::simd
