// Needs vectors. Fast because lanes are columns of y: b is copied once, so that these lie side by
// side, and several rows of a meet each vector of it.
#pragma once

#include <string.h>

#include "runtimes/simd/reals.h"
#include "runtimes/simd/words.h"
#include "simd/batch_matmul.op.h"

namespace opsmith::batch_matmul::simd {

inline constexpr int32_t kRows = 4;

// Vectors of columns of b, as many as `lanes` wide; what is beyond the last column is zero.
template <class P, class T, class Lane>
void copy_columns(const P& p, const T* b, Lane zero, int32_t lanes, Lane* to) {
  for (int32_t first = 0; first < p.size[4]; first += lanes) {
    const int32_t width = min(lanes, p.size[4] - first);
    for (int32_t k = 0; k < p.depth; ++k, to += lanes) {
      const T* x = b + k * p.b_step + first * p.b_stride[4];
      for (int32_t i = 0; i < width; ++i) to[i] = static_cast<Lane>(x[i * p.b_stride[4]]) - zero;
      for (int32_t i = width; i < lanes; ++i) to[i] = 0;
    }
  }
}

// Up to kRows rows of a; where there are fewer, the last one again.
template <class P, class T, class Lane>
void copy_rows(const P& p, const T* a, Lane zero, int32_t count, Lane* to) {
  for (int32_t i = 0; i < kRows; ++i, to += p.depth) {
    const T* x = a + min(i, count - 1) * p.a_stride[3];
    for (int32_t k = 0; k < p.depth; ++k) to[k] = static_cast<Lane>(x[k * p.a_step]) - zero;
  }
}

// Products of kRows rows with one vector of columns, which are added one by one.
template <class Vector, class Lane>
void add_up(const Lane* rows, const Lane* columns, int32_t depth, Vector (&sums)[kRows]) {
  constexpr int32_t kLanes = sizeof(Vector) / sizeof(Lane);
  for (int32_t i = 0; i < kRows; ++i) sums[i] = Vector{};
  for (int32_t k = 0; k < depth; ++k) {
    Vector column;
    memcpy(&column, columns + k * kLanes, sizeof column);
#pragma GCC unroll 8
    for (int32_t i = 0; i < kRows; ++i) sums[i] += rows[i * depth + k] * column;
  }
}

// All products of one pair of matrices. put(sums, y, n) stores n neighbours.
template <class Vector, class P, class T, class Lane, class Put>
void multiply(const P& p, const T* a, Lane a_zero, const Lane* columns, Lane* rows, Put put, T* y) {
  constexpr int32_t kLanes = sizeof(Vector) / sizeof(Lane);
  for (int32_t row = 0; row < p.size[3]; row += kRows) {
    const int32_t count = min(kRows, p.size[3] - row);
    copy_rows(p, a + row * p.a_stride[3], a_zero, count, rows);
    for (int32_t first = 0; first < p.size[4]; first += kLanes) {
      Vector sums[kRows];
      add_up(rows, columns + first * p.depth, p.depth, sums);
      for (int32_t i = 0; i < count; ++i) {
        put(sums[i], y + (row + i) * p.size[4] + first, min(kLanes, p.size[4] - first));
      }
    }
  }
}

template <class Vector, class P, class T, class Lane, class S, class Put>
void multiply_all(const P& p, const T* a, const T* b, Lane a_zero, Lane b_zero, const S& scratch,
                  Put put, T* y) {
  constexpr int32_t kLanes = sizeof(Vector) / sizeof(Lane);
  for (int32_t i = 0; i < p.size[0]; ++i) {
    for (int32_t j = 0; j < p.size[1]; ++j) {
      for (int32_t k = 0; k < p.size[2]; ++k) {
        const T* of_a = a + i * p.a_stride[0] + j * p.a_stride[1] + k * p.a_stride[2];
        const T* of_b = b + i * p.b_stride[0] + j * p.b_stride[1] + k * p.b_stride[2];
        copy_columns(p, of_b, b_zero, kLanes, scratch.columns);
        multiply<Vector>(p, of_a, a_zero, scratch.columns, scratch.rows, put, y);
        y += p.size[3] * p.size[4];
      }
    }
  }
}

template <class V, class P, class S>
void bytes(const P& p, const int8_t* a, const int8_t* b, const S& scratch, int8_t* y) {
  using Words = opsmith::simd::WordLanes<V>;
  const auto put = [&p](typename Words::Lanes sums, int8_t* to, int32_t n) {
    const Words scaled = multiply_by_quantized_multiplier(Words{sums}, p.multiplier, p.shift);
    const Words found = clamp(scaled + p.y_zero_point, INT8_MIN, INT8_MAX);
    if (n == V::kLanes) return V::put(found.sums(), to);
    int8_t all[V::kLanes];
    V::put(found.sums(), all);
    memcpy(to, all, static_cast<size_t>(n));
  };
  multiply_all<typename Words::Lanes>(p, a, b, p.a_zero_point, p.b_zero_point, scratch, put, y);
}

template <class V, class P, class S>
void reals(const P& p, const float* a, const float* b, const S& scratch, float* y) {
  using Reals = opsmith::simd::Reals<V>;
  multiply_all<typename Reals::Sums>(p, a, b, 0.0f, 0.0f, scratch, Reals::store, y);
}

}  // namespace opsmith::batch_matmul::simd
