// Needs Helium. Fast because a vector has sixteen elements of neighbouring means, or eight of
// int16. For means along one run of axes, the last of x not among them.
#pragma once

#include "mean.op.h"
#include "ops/mean/lanes.h"
#include "runtimes/cmsis/mve_pixels.h"
#include "runtimes/families/reduction.h"

namespace opsmith::mean {

// Sums as means, less the zero point of y: by thresholds, or by a Q31 multiplier, rounded twice.
template <class P>
auto rescaled(const P& p, int32x4_t sums, int /*unused*/) -> decltype(p.offset, int32x4_t{}) {
  const int32x4_t high = vmulhq_s32(vshlq_r_s32(sums, p.left_shift), vdupq_n_s32(p.multiplier));
  return vshlq_r_s32(vaddq_n_s32(high, p.offset), -p.right_shift);
}
template <class P>
int32x4_t rescaled(const P& p, int32x4_t sums, long /*unused*/) {
  return mve::requantize(sums, p.multiplier, p.shift);
}

// The zero point of y, where it is not in an offset.
template <class P>
constexpr auto last_addend(const P& p, int /*unused*/) -> decltype(p.output_zero_point) {
  return p.output_zero_point;
}
template <class P>
constexpr int32_t last_addend(const P& /*p*/, long /*unused*/) {
  return 0;
}

// The means of a vector of elements that begin side by side at `x`, or of fewer.
template <class P, class T>
auto vector_of_means(const P& p, const T* x, int32_t count) {
  int32x4_t words[mve::kWords<T>], more[mve::kWords<T>];
#pragma GCC unroll 4
  for (int32x4_t& four : words) four = vdupq_n_s32(first_sum(p, 0));
  for (int32_t first = 0; first < p.reduced[3]; first += kLanePixels) {
    const int32_t pixels = min(p.reduced[3] - first, kLanePixels), step = p.reduced_stride[3];
    auto sums = mve::none(T{});
    mve::add_pixels(sums, x + first * step, step, pixels, count);
    mve::words_of(sums, more);
#pragma GCC unroll 4
    for (int32_t i = 0; i < mve::kWords<T>; ++i) words[i] = vaddq_s32(words[i], more[i]);
  }
#pragma GCC unroll 4
  for (int32x4_t& four : words) four = rescaled(p, four, 0);
  return mve::elements_of<T>(words, last_addend(p, 0));
}

template <class P, class T>
void mve(const P& p, const In<T>& in, const Out<T>& out) {
  reduction::for_each_row(p, in.x, out.y, [&p](const T* x, T* y) {
    mve::for_each_block(x, y, p.kept[3], [&p](const T* first, int32_t count) {
      return vector_of_means(p, first, count);
    });
  });
}

}  // namespace opsmith::mean
