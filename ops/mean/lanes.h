// Needs nothing. Fast because a word has four elements of neighbouring means, two of which are
// summed up in one addition. For means along one run of axes, the last of x not among them.
#pragma once

#include "mean.op.h"
#include "ops/mean/scaled.h"
#include "runtimes/core/lanes.h"
#include "runtimes/families/reduction.h"

namespace opsmith::mean {

// All means whose elements begin side by side at `x`.
template <class Lanes, class P, class T>
void row_of_means(const P& p, const T* x, T* y) {
  const int32_t start = first_sum(p, 0), reduced = p.reduced[3], stride = p.reduced_stride[3];
  int32_t c = 0;
  for (; c + 4 <= p.kept[3]; c += 4) {
    const T* pixel = x + c;
    int32_t sums[4] = {start, start, start, start};
    for (int32_t first = 0; first < reduced; first += kLanePixels) {
      const int32_t words = min(reduced - first, kLanePixels);
      Lanes lanes;
      for (int32_t i = 0; i < words; ++i, pixel += stride) lanes.add_four(pixel);
      lanes.drain(words, sums);
    }
    for (int32_t i = 0; i < 4; ++i) y[c + i] = scaled<T>(p, sums[i]);
  }
  for (; c < p.kept[3]; ++c) {
    int32_t sum = start;
    for (int32_t i = 0; i < reduced; ++i) sum += x[c + i * stride];
    y[c] = scaled<T>(p, sum);
  }
}

template <class Lanes, class P, class T>
void means(const P& p, const T* x, T* y) {
  reduction::for_each_row(p, x, y,
                          [&p](const T* first, T* to) { row_of_means<Lanes>(p, first, to); });
}

template <class P, class T>
void lanes(const P& p, const In<T>& in, const Out<T>& out) {
  means<Lanes<T>>(p, in.x, out.y);
}

}  // namespace opsmith::mean
