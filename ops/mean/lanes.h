// Needs nothing. Fast because a word has four elements of neighbouring means, two of which are
// summed up in one addition. For means along one run of axes, the last of x not among them.
#pragma once

#include "mean.op.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/lanes.h"
#include "runtimes/families/reduction.h"

namespace opsmith::mean {

// A sum, without zero points, as an element of y.
template <class P>
int8_t scaled(const P& p, int32_t sum) {
  const int32_t mean = multiply_by_quantized_multiplier(sum, p.multiplier, p.shift);
  return static_cast<int8_t>(clamp(mean + p.output_zero_point, INT8_MIN, INT8_MAX));
}

// All means whose elements begin side by side at `x`.
template <class Lanes, class P>
void row_of_means(const P& p, const int8_t* x, int8_t* y) {
  int32_t c = 0;
  for (; c + 4 <= p.kept[3]; c += 4) {
    const int8_t* pixel = x + c;
    const int32_t start = -p.zero_point_sum;
    int32_t sums[4] = {start, start, start, start};
    for (int32_t first = 0; first < p.reduced[3]; first += kLanePixels) {
      const int32_t words = min(p.reduced[3] - first, kLanePixels);
      Lanes lanes;
      for (int32_t i = 0; i < words; ++i, pixel += p.reduced_stride[3]) lanes.add_word(pixel);
      lanes.drain(words, sums);
    }
    for (int32_t i = 0; i < 4; ++i) y[c + i] = scaled(p, sums[i]);
  }
  for (; c < p.kept[3]; ++c) {
    int32_t sum = -p.zero_point_sum;
    for (int32_t i = 0; i < p.reduced[3]; ++i) sum += x[c + i * p.reduced_stride[3]];
    y[c] = scaled(p, sum);
  }
}

template <class Lanes, class P>
void means(const P& p, const int8_t* x, int8_t* y) {
  reduction::for_each_row(
      p, x, y, [&p](const int8_t* first, int8_t* to) { row_of_means<Lanes>(p, first, to); });
}

template <class P>
void lanes(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  means<Lanes>(p, in.x, out.y);
}

}  // namespace opsmith::mean
