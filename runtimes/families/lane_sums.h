// Sums along one run of axes, the last of x not among them, of four neighbours at a time.
// Freestanding C++17.
#pragma once

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/lanes.h"
#include "runtimes/families/reduction.h"

namespace opsmith::reduction {

// The elements of y whose sums begin side by side at `x`: done(sum), which begins with `start`.
template <class Lanes, class P, class T, class Done>
void row_of_lane_sums(const P& p, const T* x, T* y, int32_t start, Done done) {
  const int32_t reduced = p.reduced[3], stride = p.reduced_stride[3];
  const int32_t kept = p.kept[3], fours = kept & ~3;
  for (int32_t c = 0; c < fours; c += 4) {
    const T* pixel = x + c;
    int32_t sums[4] = {start, start, start, start};
    for (int32_t first = 0; first < reduced; first += kLanePixels) {
      const int32_t words = min(reduced - first, kLanePixels);
      Lanes lanes;
      for (int32_t i = 0; i < words; ++i, pixel += stride) lanes.add_four(pixel);
      lanes.drain(words, sums);
    }
    for (int32_t i = 0; i < 4; ++i) y[c + i] = done(sums[i]);
  }
  for (int32_t c = fours; c < kept; ++c) {
    int32_t sum = start;
    for (int32_t i = 0; i < reduced; ++i) sum += x[c + i * stride];
    y[c] = done(sum);
  }
}

template <class Lanes, class P, class T, class Done>
void for_each_lane_sum(const P& p, const T* x, T* y, int32_t start, Done done) {
  for_each_row(p, x, y, [&p, start, done](const T* first, T* to) {
    row_of_lane_sums<Lanes>(p, first, to, start, done);
  });
}

}  // namespace opsmith::reduction
