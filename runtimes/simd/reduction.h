// Needs vectors. Fast because a vector has neighbours of y in its lanes, and because sums of
// several vectors wait less for each other than those of one.
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

using FourFloats [[gnu::vector_size(16)]] = float;

// Joins squares of four floats, whose rows are `step` apart, with what was found; they are turned
// in registers, so that lanes are rows.
template <class F>
[[gnu::always_inline]] inline FourFloats joined_square(FourFloats found, const float* x,
                                                       int32_t step, F) {
  FourFloats rows[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) memcpy(rows + i, x + i * step, sizeof(FourFloats));
  const FourFloats low = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const FourFloats next_low = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const FourFloats high = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const FourFloats next_high = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  found = F::joined(found, __builtin_shufflevector(low, next_low, 0, 1, 4, 5));
  found = F::joined(found, __builtin_shufflevector(low, next_low, 2, 3, 6, 7));
  found = F::joined(found, __builtin_shufflevector(high, next_high, 0, 1, 4, 5));
  return F::joined(found, __builtin_shufflevector(high, next_high, 2, 3, 6, 7));
}

// Elements of y that are of 4 * kFours runs of neighbours in x, each in its order.
template <int kFours, class P, class F>
void put_runs(const P& p, const float* x, F f, float* y) {
  const int32_t count = p.reduced[3], step = p.kept_stride[3];
  FourFloats found[kFours];
#pragma GCC unroll 4
  for (auto& each : found) each = F::kStart - FourFloats{};
  int32_t k = 0;
  for (; k + 4 <= count; k += 4) {
#pragma GCC unroll 4
    for (int j = 0; j < kFours; ++j) {
      found[j] = joined_square(found[j], x + 4 * j * step + k, step, f);
    }
  }
  for (int j = 0; j < kFours; ++j) {
    const float* row = x + 4 * j * step;
    for (int32_t i = k; i < count; ++i) {
      const FourFloats column = {row[i], row[step + i], row[2 * step + i], row[3 * step + i]};
      found[j] = F::joined(found[j], column);
    }
    found[j] = F::done(found[j], static_cast<float>(count));
  }
  memcpy(y, found, sizeof found);
}

template <class V, class P, class F>
void real_runs(const P& p, const float* x, F f, float* y) {
  reduction::for_each_row(p, x, y, [&p, f](const float* first, float* row) {
    const int32_t kept = p.kept[3], step = p.kept_stride[3];
    int32_t i = 0;
    for (; i + 16 <= kept; i += 16) put_runs<4>(p, first + i * step, f, row + i);
    for (; i + 4 <= kept; i += 4) put_runs<1>(p, first + i * step, f, row + i);
    for (; i < kept; ++i) {
      float found = F::kStart;
      for (int32_t k = 0; k < p.reduced[3]; ++k) found = F::joined(found, first[i * step + k]);
      row[i] = F::done(found, static_cast<float>(p.reduced[3]));
    }
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
