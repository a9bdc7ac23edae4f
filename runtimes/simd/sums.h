// Needs vectors. Fast because vectors add up neighbours of small integers as words, four vectors at
// a time. V is the instruction set, such as avx2.h. Freestanding C++17.
#pragma once

#include "runtimes/families/reduction.h"
#include "runtimes/simd/words.h"

namespace opsmith::simd {

// The elements from c on of a row of y whose sums fill kVectors vectors; returns the first that
// does not.
template <class V, int32_t kVectors, class P, class T, class Done>
int32_t put_sums(const P& p, const T* first, T* row, int32_t start, int32_t c, Done done) {
  using Words = WordLanes<V>;
  const int32_t reduced = p.reduced[3], stride = p.reduced_stride[3];
  for (; c + kVectors * V::kLanes <= p.kept[3]; c += kVectors * V::kLanes) {
    Words sums[kVectors];
#pragma GCC unroll 4
    for (Words& each : sums) each = Words::repeated(start);
    const T* x = first + c;
    for (int32_t i = 0; i < reduced; ++i, x += stride) {
#pragma GCC unroll 4
      for (int32_t j = 0; j < kVectors; ++j) {
        sums[j] = sums[j] + Words::of(V::words(x + j * V::kLanes));
      }
    }
#pragma GCC unroll 4
    for (int32_t j = 0; j < kVectors; ++j) V::put(done(sums[j]).sums(), row + c + j * V::kLanes);
  }
  return c;
}

// y of sums along one run of axes, the last of x not among them, which begin with `start`:
// done(words) of a vector of sums, and done_one(sum) of a single one.
template <class V, class P, class T, class Done, class DoneOne>
void sums_of_words(const P& p, const T* x, T* y, int32_t start, Done done, DoneOne done_one) {
  reduction::for_each_row(p, x, y, [&](const T* first, T* row) {
    int32_t c = put_sums<V, 4>(p, first, row, start, 0, done);
    c = put_sums<V, 1>(p, first, row, start, c, done);
    for (; c < p.kept[3]; ++c) {
      int32_t sum = start;
      for (int32_t i = 0; i < p.reduced[3]; ++i) sum += first[c + i * p.reduced_stride[3]];
      row[c] = done_one(sum);
    }
  });
}

}  // namespace opsmith::simd
