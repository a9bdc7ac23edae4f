// Needs vectors. Fast because a vector of conditions chooses among elements, without a branch.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/families/selection.h"

namespace opsmith::simd {

// Rows of elements as wide as T, in vectors of the instruction set V.
template <class V, class T, class P>
struct ChosenRow {
  static constexpr int32_t kLanes = 4 * V::kLanes / sizeof(T);
  using Vector [[gnu::vector_size(4 * V::kLanes)]] = T;
  using Bytes [[gnu::vector_size(4 * V::kLanes / sizeof(T))]] = int8_t;

  // Elements from the i-th on, or one that repeats.
  static Vector loaded(const void* row, int32_t i, int32_t stride) {
    if (stride == 0) {
      T one;
      memcpy(&one, row, sizeof one);
      return one - Vector{};
    }
    Vector found;
    memcpy(&found, static_cast<const char*>(row) + sizeof(T) * static_cast<size_t>(i),
           sizeof found);
    return found;
  }
  static Vector mask(const bool* chosen) {
    if constexpr (sizeof(T) == 4) {  // of which GCC converts each by itself
      return -reinterpret_cast<Vector>(V::words(reinterpret_cast<const int8_t*>(chosen)));
    }
    Bytes ones;
    memcpy(&ones, chosen, sizeof ones);
    return -__builtin_convertvector(ones, Vector);
  }
  template <class E>
  void operator()(const bool* chosen, const E* a, const E* b, E* y) const {
    int32_t i = 0;
    for (; p.condition_stride[4] == 1 && i + kLanes <= p.size[4]; i += kLanes) {
      const Vector ones = mask(chosen + i);
      const Vector first = loaded(a, i, p.a_stride[4]), second = loaded(b, i, p.b_stride[4]);
      const Vector found = (first & ones) | (second & ~ones);
      memcpy(y + i, &found, sizeof found);
    }
    selection::select_from(p, i, chosen, a, b, y);
  }

  const P& p;
};

template <class V>
struct Selection {
  // As selection::select.
  template <class T, class P>
  static void select(const P& p, const bool* condition, const void* a, const void* b, void* y) {
    selection::for_each_row<T>(p, condition, a, b, y, ChosenRow<V, T, P>{p});
  }
};

}  // namespace opsmith::simd
